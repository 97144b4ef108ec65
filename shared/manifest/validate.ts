import {
  CURRENT_SCHEMA_VERSION,
  isPackageType,
  legacyMark,
  PACKAGE_TYPES,
  readDialect,
  type Dialect,
  type PackageType,
} from './dialect.ts';
import type { Finding } from './finding.ts';
import { FindingList, forbidsUse, TEXT_START, type Direction } from './finding-list.ts';
import { JsonDocument } from './json-document.ts';
import { editJson } from './json-edit.ts';
import { convertLegacy } from './legacy.ts';
import { readAgent, type AgentManifest } from './model/agent.ts';
import { readIntegration, type IntegrationManifest } from './model/integration.ts';
import { readMcpServer, type McpServerManifest } from './model/mcp-server.ts';
import { readSkill, type SkillManifest } from './model/skill.ts';
import { isRecord } from './plain.ts';
import { checkAgent } from './rules/agent.ts';
import { RULES } from './rules/catalogue.ts';
import { checkCommon, type PackageFiles, type PackageLookup, type RuleContext } from './rules/common.ts';
import { checkIntegration } from './rules/integration.ts';
import { checkMcpServer } from './rules/mcp-server.ts';
import { checkSelection } from './rules/selection.ts';
import { checkSkill } from './rules/skill.ts';
import type { SchemaChecker } from './schema-checker.ts';
import { manifestSchema } from './schemas/index.ts';
import { checkStructure, shown } from './structure.ts';

/** The one internal model of a package, whichever dialect it is written in. */
export type PackageManifest = AgentManifest | SkillManifest | McpServerManifest | IntegrationManifest;

export const MANIFEST_FILE = 'manifest.json';

export interface ValidationOptions {
  readonly direction: Direction;
  /** Checks the JSON Schemas an agent carries; without one only their outline is checked. */
  readonly schemaChecker?: SchemaChecker | undefined;
  /** Packages at hand: what an agent takes of its integrations is held against them. */
  readonly packages?: PackageLookup | undefined;
}

/** What was found in a manifest, and the manifest itself when nothing found forbids its use. */
export interface ManifestReport {
  readonly findings: readonly Finding[];
  readonly document: JsonDocument | undefined;
  readonly manifest: PackageManifest | undefined;
}

/** Checks a manifest's text by itself: reference section 19, all but the rows that need other files. */
export function validateManifest(text: string, options: ValidationOptions): ManifestReport {
  return validate(text, undefined, options);
}

/** Checks a whole package: its manifest, and the files its type must have beside it. */
export function validatePackage(
  text: string,
  files: PackageFiles,
  options: ValidationOptions,
): ManifestReport {
  return validate(text, files, options);
}

function validate(text: string, files: PackageFiles | undefined, options: ValidationOptions): ManifestReport {
  const document = JsonDocument.read(text);
  if (!(document instanceof JsonDocument)) {
    const findings = document.map((fault) => ({ ...fault, ...RULES[fault.code], file: MANIFEST_FILE }));
    return { findings, document: undefined, manifest: undefined };
  }
  const findings = new FindingList(document, MANIFEST_FILE, options.direction);
  const companions = new Map<string, FindingList>();
  const all = () => [findings, ...companions.values()].flatMap((list) => list.toArray());

  const typed = typeAndDialect(document.value, findings);
  if (typed === undefined) return { findings: all(), document, manifest: undefined };
  const { value, type, dialect } = typed;
  const context: RuleContext = {
    manifest: value,
    dialect,
    findings,
    schemaChecker: options.schemaChecker,
    files,
    companion(file) {
      const list = companions.get(file) ?? new FindingList(TEXT_START, file, options.direction);
      companions.set(file, list);
      return list;
    },
  };
  const definition = DEFINITIONS[type];
  checkCommon(context);
  definition.check(context);
  checkStructure(manifestSchema(type, dialect), value, findings);
  if (forbidsUse(all())) return { findings: all(), document, manifest: undefined };

  const manifest = definition.read(value, dialect);
  if (manifest.type === 'agent' && options.packages !== undefined) {
    checkSelection(manifest, options.packages, findings);
  }
  return { findings: all(), document, manifest };
}

/** What tells the four types of package apart. */
interface TypeDefinition {
  check(context: RuleContext): void;
  read(value: unknown, dialect: Dialect): PackageManifest;
}

const DEFINITIONS: Readonly<Record<PackageType, TypeDefinition>> = {
  agent: { check: checkAgent, read: readAgent },
  skill: { check: checkSkill, read: readSkill },
  'mcp-server': { check: checkMcpServer, read: readMcpServer },
  integration: { check: checkIntegration, read: readIntegration },
};

/** The type and dialect of a manifest; undefined when it is none that is read, which is then said. */
function typeAndDialect(
  value: unknown,
  findings: FindingList,
): { value: Record<string, unknown>; type: PackageType; dialect: Dialect } | undefined {
  if (!isRecord(value)) {
    findings.add('manifest_not_object', [], `A manifest is a JSON object; this is ${shown(value)}.`);
    return undefined;
  }
  const legacy = legacyMark(value);
  if (legacy !== undefined) {
    addLegacy(value, legacy, findings);
    return undefined;
  }
  const { type } = value;
  if (!isPackageType(type)) {
    const given = type === undefined ? '"type" is missing' : `"type" may not be ${shown(type)}`;
    const types = PACKAGE_TYPES.map((name) => `"${name}"`).join(', ');
    findings.add('type_unknown', ['type'], `${given}: give one of ${types}.`);
    return undefined;
  }
  const dialect = checkDialect(value['schema_version'], type, findings);
  return dialect === undefined ? undefined : { value, type, dialect };
}

function checkDialect(schemaVersion: unknown, type: PackageType, findings: FindingList): Dialect | undefined {
  const reading = readDialect(schemaVersion);
  const fix = {
    title: `Write "${CURRENT_SCHEMA_VERSION}"`,
    edits: [{ pointer: '/schema_version', value: CURRENT_SCHEMA_VERSION }],
  };
  const path = ['schema_version'];
  switch (reading.kind) {
    case 'malformed': {
      const message = `"schema_version" must be two numbers as text, such as "${CURRENT_SCHEMA_VERSION}"; it is ${shown(schemaVersion)}.`;
      findings.add('schema_version_malformed', path, message, { fix });
      return undefined;
    }
    case 'unsupported': {
      const message = `The format's version ${shown(schemaVersion)} is not one this version of Slipway reads: it reads 0.x and 2.x. Update Slipway, or write "${CURRENT_SCHEMA_VERSION}".`;
      findings.add('schema_version_unsupported', path, message);
      return undefined;
    }
    case 'read':
      break;
  }
  if (schemaVersion === undefined && type === 'agent') {
    const message = `"schema_version" is missing: give "${CURRENT_SCHEMA_VERSION}".`;
    findings.add('field_missing', path, message, { fix });
  }
  if (reading.newer) {
    const message = `The format's version ${shown(schemaVersion)} is newer than this version of Slipway. What it does not know is kept and does nothing.`;
    findings.add('schema_version_newer', path, message);
  }
  return reading.dialect;
}

function addLegacy(manifest: Record<string, unknown>, mark: string, findings: FindingList): void {
  const what = `This is a package of AFPS 1.x or earlier: ${mark}.`;
  const conversion = convertLegacy(manifest);
  if (conversion.kind === 'refused') {
    findings.add('dialect_legacy', [], `${what} ${conversion.reason}`);
    return;
  }
  const type = String(conversion.manifest['type']);
  const article = type === 'skill' ? 'a' : 'an';
  const { manifest: value, faults } = mended(conversion.manifest, findings.direction);
  if (faults.length > 0) {
    const lacks = faults.map(({ message }) => message).join(' ');
    const message = `${what} It would be ${article} ${type} today, but something is wrong that converting cannot mend. ${lacks}`;
    findings.add('dialect_legacy', [], message);
    return;
  }
  const advice = ['Convert it before you use it.', ...conversion.notes].join(' ');
  findings.add('dialect_legacy', [], `${what} It is ${article} ${type} today. ${advice}`, {
    fix: { title: `Convert it to ${article} ${type} of today`, edits: [{ pointer: '', value }] },
  });
}

/** Rounds of mending: a fix may bring to light what the fault before it hid. */
const MENDING_ROUNDS = 8;

/** A converted manifest with every fix applied that its errors offer, and what still forbids its use. */
function mended(
  converted: Readonly<Record<string, unknown>>,
  direction: Direction,
): { manifest: unknown; faults: readonly Finding[] } {
  let text = JSON.stringify(converted);
  for (let round = 0; ; round += 1) {
    const { findings, document } = validate(text, undefined, { direction });
    const faults = findings.filter(({ severity, blocks }) => severity === 'error' && blocks === 'use');
    const [fixable] = faults.flatMap(({ fix }) => fix ?? []);
    if (fixable === undefined || round === MENDING_ROUNDS) return { manifest: document?.value, faults };
    text = editJson(text, fixable.edits);
  }
}
