import { neededScopes } from '../tools/scopes.ts';
import { isWidening, type ReachChange } from './changes.ts';
import type { AgentManifest, SchemaDeclaration } from './model/agent.ts';
import type { AuthMethod, IntegrationManifest } from './model/integration.ts';
import type { McpServerManifest } from './model/mcp-server.ts';
import { isRecord, itemsOf } from './plain.ts';
import type { PackageLookup } from './rules/common.ts';
import { droppedFields, narrowings } from './schema-narrowing.ts';
import { toolCatalogOf } from './tool-catalog.ts';
import type { PackageManifest } from './validate.ts';

/** How far the version of a package should go for a change, and why. */
export interface VersionStep {
  readonly step: 'patch' | 'minor' | 'major';
  /** What does not go on working as it did, in words; empty unless the step is a major one. */
  readonly reasons: readonly string[];
}

/** One state of a package, as far as what others rely on goes. */
export interface VersionState {
  readonly manifest: PackageManifest | undefined;
  readonly files: readonly { readonly path: string }[];
  /** The packages it needs, as this state chooses them. */
  readonly lookup: PackageLookup;
}

/**
 * The step from one state to the next: major when somebody's accounts, calls, input or use of the output fit
 * no longer, minor when there is something that was not there, else patch. A state that cannot be read tells
 * nothing, so its change counts as a major one.
 */
export function versionStep(
  before: VersionState,
  after: VersionState,
  reach: readonly { readonly change: ReachChange['change']; readonly through?: string | undefined }[],
): VersionStep {
  const reasons = [...new Set(breaksBetween(before, after))];
  if (reasons.length > 0) return { step: 'major', reasons };
  const isMore = reach.some((change) => change.through === undefined && isWidening(change));
  return { step: isMore || hasMore(before, after) ? 'minor' : 'patch', reasons: [] };
}

function breaksBetween(before: VersionState, after: VersionState): string[] {
  const [old, now] = [before.manifest, after.manifest];
  if (old === undefined || now === undefined) return ['one of both states cannot be read'];
  if (old.type === 'agent' && now.type === 'agent') return agentBreaks(old, now, before.lookup, after.lookup);
  if (old.type === 'integration' && now.type === 'integration') {
    return integrationBreaks(old, now, before.lookup, after.lookup);
  }
  if (old.type === 'mcp-server' && now.type === 'mcp-server') return serverBreaks(old, now);
  if (old.type !== now.type) return [`it is no longer of the type ${old.type}`];
  const paths = new Set(after.files.map(({ path }) => path));
  return before.files.filter(({ path }) => !paths.has(path)).map(({ path }) => `${path} is gone`);
}

function agentBreaks(
  old: AgentManifest,
  now: AgentManifest,
  oldLookup: PackageLookup,
  lookup: PackageLookup,
): string[] {
  const scopes = scopesOf(old, oldLookup);
  return [
    ...inputBreaks(old.input, now.input),
    ...outputBreaks(old.output, now.output),
    ...addedTo(Object.keys(old.dependencies.integrations), Object.keys(now.dependencies.integrations)).map(
      (name) => `an account of ${name} is needed`,
    ),
    ...[...scopesOf(now, lookup)].flatMap(([name, needed]) =>
      addedTo(scopes.get(name) ?? needed, needed).map((scope) => `${name} is asked for the scope ${scope}`),
    ),
  ];
}

/** The scopes an agent needs of each integration. */
function scopesOf(agent: AgentManifest, lookup: PackageLookup): Map<string, readonly string[]> {
  const entries = Object.entries(agent.dependencies.integrations).map(
    ([name, range]): [string, readonly string[]] => {
      const integration = lookup.integration(name, range);
      const choice = agent.integrationChoices[name];
      const keys = Object.keys(integration?.auths ?? {});
      const methods = choice?.authKey === undefined ? keys : [choice.authKey];
      return [
        name,
        integration === undefined
          ? (choice?.scopes ?? [])
          : methods.flatMap((key) => neededScopes(integration, key, choice)),
      ];
    },
  );
  return new Map(entries);
}

/** What an agent takes that declares no input. */
const NO_INPUT: SchemaDeclaration['schema'] = { type: 'object', additionalProperties: false };

function inputBreaks(old: SchemaDeclaration | undefined, now: SchemaDeclaration | undefined): string[] {
  const [before, after] = [old?.schema ?? NO_INPUT, now?.schema ?? {}];
  return [
    ...droppedFields(before, after).map((field) => `the input has no ${field} any more`),
    ...narrowings(before, after).map(({ field, keyword }) =>
      keyword === 'required'
        ? `the input must have ${field}`
        : `${field === '' ? 'the input' : `the input’s ${field}`} takes less (${keyword})`,
    ),
    ...Object.entries(now?.fileConstraints ?? {}).flatMap(([field, { accept, maxSize }]) => {
      const earlier = old?.fileConstraints[field];
      if (old === undefined || !isRecord(before['properties']) || !(field in before['properties'])) return [];
      const isSmaller = maxSize !== undefined && maxSize < (earlier?.maxSize ?? Number.POSITIVE_INFINITY);
      const kinds = partsOf(earlier?.accept);
      const isNarrower =
        accept !== undefined && (kinds.length === 0 || addedTo(partsOf(accept), kinds).length > 0);
      return isSmaller || isNarrower ? [`the input’s ${field} takes fewer files`] : [];
    }),
  ];
}

function partsOf(accept: string | undefined): string[] {
  return (accept ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** What is given back must fit what was promised, so the two change their places. */
function outputBreaks(old: SchemaDeclaration | undefined, now: SchemaDeclaration | undefined): string[] {
  if (old === undefined) return [];
  if (now === undefined) return ['there is no output any more'];
  return [
    ...droppedFields(old.schema, now.schema).map((field) => `the output has no ${field} any more`),
    ...narrowings(now.schema, old.schema)
      // More fields than were promised are in nobody's way.
      .filter(({ keyword }) => keyword !== 'additionalProperties')
      .map(({ field, keyword }) =>
        keyword === 'required'
          ? `the output may be without ${field}`
          : `${field === '' ? 'the output' : `the output’s ${field}`} promises less (${keyword})`,
      ),
  ];
}

function integrationBreaks(
  old: IntegrationManifest,
  now: IntegrationManifest,
  oldLookup: PackageLookup,
  lookup: PackageLookup,
): string[] {
  const tools = toolsOf(now, lookup);
  const lost = toolsOf(old, oldLookup).names.filter((name) => !tools.names.includes(name) && !tools.isOpen);
  const isElsewhere = old.source.kind !== now.source.kind || addressOf(old) !== addressOf(now);
  return [
    ...(isElsewhere ? ['its tools come from somewhere else'] : []),
    ...lost.map((name) => `the tool ${name} is gone`),
    ...Object.entries(old.auths).flatMap(([key, auth]) => {
      const next = now.auths[key];
      return next === undefined ? [`the sign-in ${key} is gone`] : authBreaks(key, auth, next);
    }),
    ...Object.entries(now.toolScopes).flatMap(([tool, scopes]) =>
      Object.entries(scopes).flatMap(([key, values]) => {
        const earlier = old.toolScopes[tool];
        // What a new tool needs takes nothing from those who do not choose it.
        if (earlier === undefined && !toolsOf(old, oldLookup).names.includes(tool)) return [];
        return addedTo(earlier?.[key] ?? [], values).map((scope) => `${tool} needs the scope ${scope}`);
      }),
    ),
  ];
}

function toolsOf(integration: IntegrationManifest, lookup: PackageLookup) {
  const { source } = integration;
  const server =
    source.kind === 'local' ? lookup.mcpServer(source.server.name, source.server.version) : undefined;
  return toolCatalogOf(integration, server);
}

function addressOf({ source }: IntegrationManifest): string {
  switch (source.kind) {
    case 'local':
      return source.server.name;
    case 'remote':
      return source.url;
    case 'none':
      return '';
  }
}

function authBreaks(key: string, old: AuthMethod, now: AuthMethod): string[] {
  if (old.type !== now.type) return [`the sign-in ${key} is of another type`];
  const uris = addedTo(now.authorizedUris, old.authorizedUris);
  const fields = addedTo(requiredOf(old.credentialsSchema), requiredOf(now.credentialsSchema));
  return [
    ...(now.allowsAllUris ? [] : uris.map((uri) => `${key} may no longer be sent to ${uri}`)),
    ...(old.allowsAllUris && !now.allowsAllUris ? [`${key} may no longer be sent to any address`] : []),
    ...addedTo(old.defaultScopes, now.defaultScopes).map((scope) => `${key} asks for the scope ${scope}`),
    ...addedTo(now.defaultScopes, old.defaultScopes).map((scope) => `${key} asks no longer for ${scope}`),
    ...fields.map((field) => `${key} needs ${field}`),
  ];
}

function requiredOf(schema: unknown): string[] {
  return itemsOf(isRecord(schema) ? schema['required'] : undefined).map(String);
}

function serverBreaks(old: McpServerManifest, now: McpServerManifest): string[] {
  const names = ({ tools }: McpServerManifest) => tools.map(({ name }) => name);
  const required = ({ settings }: McpServerManifest) =>
    Object.entries(settings).flatMap(([key, setting]) =>
      setting.required && setting.default === undefined ? [key] : [],
    );
  return [
    ...addedTo(names(now), names(old)).map((name) => `the tool ${name} is gone`),
    ...addedTo(required(old), required(now)).map((key) => `the setting ${key} must be filled in`),
  ];
}

/** Whether there is a field, a setting or a file that was not there, beyond what is reached. */
function hasMore(before: VersionState, after: VersionState): boolean {
  const [old, now] = [before.manifest, after.manifest];
  const paths = before.files.map(({ path }) => path);
  if (
    addedTo(
      paths,
      after.files.map(({ path }) => path),
    ).length > 0
  )
    return true;
  if (old?.type === 'agent' && now?.type === 'agent') {
    const isNew = (from: SchemaDeclaration | undefined, to: SchemaDeclaration | undefined) =>
      droppedFields(to?.schema ?? {}, from?.schema ?? {}).length > 0;
    return isNew(old.input, now.input) || isNew(old.output, now.output);
  }
  if (old?.type === 'mcp-server' && now?.type === 'mcp-server') {
    return addedTo(Object.keys(old.settings), Object.keys(now.settings)).length > 0;
  }
  return false;
}

/** What is in the second list and not in the first. */
function addedTo(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before);
  return after.filter((item) => !known.has(item));
}
