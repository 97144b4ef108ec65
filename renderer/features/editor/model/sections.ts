import type { PackageType } from '#shared/manifest/dialect.ts';
import { stepsOf } from '#shared/manifest/json-pointer.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { EXAMPLES_KEY, RESOURCES_KEY } from '#shared/manifest/schemas/agent.ts';
import { API_KEY } from '#shared/manifest/schemas/integration.ts';
import { MCP_RUNTIME_KEY, WORKSPACE_KEY } from '#shared/manifest/schemas/mcp-server.ts';
import type { ManifestValue } from './manifest-document.ts';

export type SectionKey =
  | 'identity'
  | 'content'
  | 'tools'
  | 'integrations'
  | 'skills'
  | 'input'
  | 'output'
  | 'limits'
  | 'source'
  | 'auths'
  | 'policy'
  | 'setup'
  | 'server'
  | 'serverTools'
  | 'userConfig'
  | 'other';

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
  return [identity, ...content, ...OWN_SECTIONS[type], { key: 'other', label: 'Everything else' }];
}

/** The parts that only one type of package has. */
const OWN_SECTIONS: Readonly<Record<PackageType, readonly Section[]>> = {
  agent: [
    { key: 'tools', label: 'Tools' },
    { key: 'integrations', label: 'Integrations' },
    { key: 'skills', label: 'Skills and servers' },
    { key: 'input', label: 'Input' },
    { key: 'output', label: 'Output' },
    { key: 'limits', label: 'Limits' },
  ],
  skill: [],
  integration: [
    { key: 'source', label: 'Source' },
    { key: 'auths', label: 'Sign-in' },
    { key: 'policy', label: 'Tools' },
    { key: 'setup', label: 'Setup guide' },
  ],
  'mcp-server': [
    { key: 'server', label: 'Program' },
    { key: 'serverTools', label: 'Tools' },
    { key: 'userConfig', label: 'Settings' },
  ],
};

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

/** Members of the manifest that parts of the form show, by the type of package. */
const MEMBER_SECTIONS: Readonly<Record<PackageType, Readonly<Record<string, SectionKey>>>> = {
  agent: {
    runtime_tools: 'tools',
    integrations_configuration: 'tools',
    input: 'input',
    output: 'output',
    timeout: 'limits',
  },
  skill: {},
  integration: {
    source: 'source',
    auths: 'auths',
    default_tools: 'policy',
    hidden_tools: 'policy',
    allow_undeclared_tools: 'policy',
    tools_policy: 'policy',
    setup_guide: 'setup',
  },
  'mcp-server': {
    manifest_version: 'server',
    server: 'server',
    tools: 'serverTools',
    user_config: 'userConfig',
  },
};

/** Members of `_meta` that parts of the form show, by the type of package. */
const META_SECTIONS: Readonly<Record<PackageType, Readonly<Record<string, SectionKey>>>> = {
  agent: { [RESOURCES_KEY]: 'limits', [EXAMPLES_KEY]: 'input' },
  skill: {},
  integration: { [API_KEY]: 'source' },
  'mcp-server': { [MCP_RUNTIME_KEY]: 'server', [WORKSPACE_KEY]: 'server' },
};

/** The part of the form that shows the place of a finding. */
export function sectionOf(
  type: PackageType,
  { file, pointer }: Pick<Finding, 'file' | 'pointer'>,
): SectionKey {
  if (file !== MANIFEST_FILE) return file === CONTENT_FILES[type] ? 'content' : 'other';
  const [first = '', second = '', field] = stepsOf(pointer);
  if (IDENTITY_FIELDS.includes(first)) return 'identity';
  if (type === 'agent' && first === 'dependencies') {
    if (second === 'integrations') return 'integrations';
    if (second === 'skills' || second === 'mcp_servers') return 'skills';
  }
  if (first === 'integrations_configuration' && (field === 'scopes' || field === 'auth_key')) {
    return type === 'agent' ? 'integrations' : 'other';
  }
  if (first === '_meta') return ownMember(META_SECTIONS[type], second) ?? 'other';
  return ownMember(MEMBER_SECTIONS[type], first) ?? 'other';
}

function ownMember(sections: Readonly<Record<string, SectionKey>>, name: string): SectionKey | undefined {
  return Object.hasOwn(sections, name) ? sections[name] : undefined;
}

/** Members of the manifest that no part of the form shows; they are kept as they are. */
export function keptMembers(
  type: PackageType,
  manifest: ManifestValue,
): { path: string[]; value: unknown }[] {
  const partly: Readonly<Record<string, readonly string[]>> = {
    _meta: Object.keys(META_SECTIONS[type]),
    ...(type === 'agent' && { dependencies: ['skills', 'mcp_servers', 'integrations'] }),
  };
  const shown = new Set([...IDENTITY_FIELDS, ...SILENT, ...Object.keys(MEMBER_SECTIONS[type])]);
  return Object.entries(manifest).flatMap(([name, value]) => {
    if (shown.has(name)) return [];
    const known = Object.hasOwn(partly, name) ? partly[name] : undefined;
    if (known === undefined || !isRecord(value)) return [{ path: [name], value }];
    return Object.entries(value)
      .filter(([key]) => !known.includes(key))
      .map(([key, member]) => ({ path: [name, key], value: member }));
  });
}
