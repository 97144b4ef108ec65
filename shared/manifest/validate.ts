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
import { readAgent, type AgentManifest } from './model.ts';
import { isRecord } from './plain.ts';
import { checkAgent } from './rules/agent.ts';
import { RULES } from './rules/catalogue.ts';
import { checkCommon, type PackageFiles, type RuleContext } from './rules/common.ts';
import type { SchemaChecker } from './schema-checker.ts';
import { agentSchema } from './schemas/agent.ts';
import { checkStructure, shown } from './structure.ts';

export const MANIFEST_FILE = 'manifest.json';
export const PROMPT_FILE = 'prompt.md';

export interface ValidationOptions {
  readonly direction: Direction;
  /** Checks the JSON Schemas an agent carries; without one only their outline is checked. */
  readonly schemaChecker?: SchemaChecker | undefined;
}

/** What was found in a manifest, and the manifest itself when nothing found forbids its use. */
export interface ManifestReport {
  readonly findings: readonly Finding[];
  readonly document: JsonDocument | undefined;
  readonly manifest: AgentManifest | undefined;
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
  const reading = checkManifest(document.value, findings, files, options);
  const companions = new FindingList(TEXT_START, PROMPT_FILE, options.direction);
  if (reading?.type === 'agent' && files !== undefined) checkPrompt(files.text(PROMPT_FILE), companions);
  const all = [...findings.toArray(), ...companions.toArray()];
  const manifest =
    reading?.type === 'agent' && !forbidsUse(all) ? readAgent(document.value, reading.dialect) : undefined;
  return { findings: all, document, manifest };
}

/** The type and dialect of a manifest whose rules were applied; undefined when it is none of ours. */
function checkManifest(
  value: unknown,
  findings: FindingList,
  files: PackageFiles | undefined,
  options: ValidationOptions,
): { type: PackageType; dialect: Dialect } | undefined {
  if (!isRecord(value)) {
    findings.add('manifest_not_object', [], `A manifest is a JSON object; this is ${shown(value)}.`);
    return undefined;
  }
  const legacy = legacyMark(value);
  if (legacy !== undefined) {
    findings.add(
      'dialect_legacy',
      [],
      `This is a package of AFPS 1.x or earlier: ${legacy}. ${legacyAdvice(value)}`,
    );
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
  if (dialect === undefined) return undefined;

  const { schemaChecker } = options;
  const context: RuleContext = { manifest: value, dialect, findings, schemaChecker, files };
  checkCommon(context);
  if (type === 'agent') {
    checkAgent(context);
    checkStructure(agentSchema(dialect), value, findings);
  }
  return { type, dialect };
}

function checkPrompt(prompt: string | undefined, findings: FindingList): void {
  if (prompt === undefined) {
    findings.add('prompt_missing', [], `The agent has no ${PROMPT_FILE}. Write there what it is to do.`);
  } else if (prompt.trim() === '') {
    findings.add('prompt_blank', [], `${PROMPT_FILE} is empty. Write there what the agent is to do.`);
  }
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

function legacyAdvice(manifest: Readonly<Record<string, unknown>>): string {
  switch (manifest['type']) {
    case 'provider':
      return 'A provider is an integration today: convert it before you use it.';
    case 'tool':
      return 'Tool packages no longer exist: runtime tools, integrations and MCP servers took their place.';
    default:
      return `Write it in today's format: fields in lower case with _, and "schema_version": "${CURRENT_SCHEMA_VERSION}".`;
  }
}
