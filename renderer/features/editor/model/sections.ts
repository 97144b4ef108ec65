import type { PackageType } from '#shared/manifest/dialect.ts';
import { stepsOf } from '#shared/manifest/json-pointer.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import type { ManifestValue } from './manifest-document.ts';

export type SectionKey =
  'identity' | 'content' | 'tools' | 'integrations' | 'skills' | 'input' | 'output' | 'limits' | 'other';

export interface Section {
  readonly key: SectionKey;
  readonly label: string;
}

/** The file a person reads first, by the type of package. */
export const CONTENT_FILES: Readonly<Record<PackageType, string | undefined>> = {
  agent: 'prompt.md',
  skill: 'SKILL.md',
  integration: 'INTEGRATION.md',
  'mcp-server': undefined,
};

/** The parts of the form for a type of package, in their order. */
export function sectionsOf(type: PackageType): Section[] {
  const identity: Section = { key: 'identity', label: 'Identity' };
  const content: Section[] =
    CONTENT_FILES[type] === undefined
      ? []
      : [{ key: 'content', label: type === 'agent' ? 'Prompt' : (CONTENT_FILES[type] ?? '') }];
  const rest: Section = { key: 'other', label: 'Everything else' };
  if (type !== 'agent') return [identity, ...content, rest];
  return [
    identity,
    ...content,
    { key: 'tools', label: 'Tools' },
    { key: 'integrations', label: 'Integrations' },
    { key: 'skills', label: 'Skills and servers' },
    { key: 'input', label: 'Input' },
    { key: 'output', label: 'Output' },
    { key: 'limits', label: 'Limits' },
    rest,
  ];
}

/** Members of the manifest that the identity part shows. */
export const IDENTITY_FIELDS = [
  'name',
  'display_name',
  'version',
  'description',
  'long_description',
  'author',
  'keywords',
  'license',
  'homepage',
  'icon',
];

/** Members that need no control: they say what the rest is. */
const SILENT = ['type', 'schema_version', '$schema'];

const AGENT_SECTIONS: Readonly<Record<string, SectionKey>> = {
  runtime_tools: 'tools',
  integrations_configuration: 'tools',
  input: 'input',
  output: 'output',
  timeout: 'limits',
};

/** The part of the form that shows the place of a finding. */
export function sectionOf(
  type: PackageType,
  { file, pointer }: Pick<Finding, 'file' | 'pointer'>,
): SectionKey {
  if (file !== MANIFEST_FILE) return file === CONTENT_FILES[type] ? 'content' : 'other';
  const [first = '', second = '', field] = stepsOf(pointer);
  if (IDENTITY_FIELDS.includes(first)) return 'identity';
  if (type !== 'agent') return 'other';
  if (first === 'dependencies' && second === 'integrations') return 'integrations';
  if (first === 'dependencies' && (second === 'skills' || second === 'mcp_servers')) return 'skills';
  if (first === 'integrations_configuration') {
    return field === 'scopes' || field === 'auth_key' ? 'integrations' : 'tools';
  }
  if (first === '_meta' && second === RESOURCES_KEY) return 'limits';
  return AGENT_SECTIONS[first] ?? 'other';
}

export const RESOURCES_KEY = 'dev.appstrate/resources';

/** Members of the manifest that no part of the form shows; they are kept as they are. */
export function keptMembers(
  type: PackageType,
  manifest: ManifestValue,
): { path: string[]; value: unknown }[] {
  const shown = new Set([
    ...IDENTITY_FIELDS,
    ...SILENT,
    ...(type === 'agent' ? [...Object.keys(AGENT_SECTIONS), 'dependencies'] : []),
  ]);
  const kept = Object.entries(manifest)
    .filter(([name]) => !shown.has(name) && !(type === 'agent' && name === '_meta'))
    .map(([name, value]) => ({ path: [name], value }));
  const inside = (name: string, known: readonly string[]): { path: string[]; value: unknown }[] => {
    const members = manifest[name];
    if (type !== 'agent' || members === undefined) return [];
    if (typeof members !== 'object' || members === null || Array.isArray(members)) {
      return [{ path: [name], value: members }];
    }
    return Object.entries(members)
      .filter(([key]) => !known.includes(key))
      .map(([key, value]) => ({ path: [name, key], value }));
  };
  return [
    ...kept,
    ...inside('dependencies', ['skills', 'mcp_servers', 'integrations']),
    ...inside('_meta', [RESOURCES_KEY]),
  ];
}
