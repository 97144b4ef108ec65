import { MAX_CHOSEN_CONNECTIONS, type Connection } from '#shared/connections/connection.ts';
import type { Candidate, IntegrationRequirement, RunRequirements } from '#shared/connections/requirements.ts';
import type { AgentManifest, IntegrationChoice } from '#shared/manifest/model/agent.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { missingScopes, neededScopes, requestedScopes, scopeReasons } from '#shared/tools/scopes.ts';

export interface RequirementInput {
  readonly agent: Pick<AgentManifest, 'dependencies' | 'integrationChoices'>;
  /** By id; an integration the author does not have is absent. */
  readonly integrations: ReadonlyMap<string, IntegrationManifest>;
  readonly connections: readonly Connection[];
  /** What this start chooses, by integration. */
  readonly chosenNow: Readonly<Record<string, readonly string[]>>;
  /** What the agent chose earlier. */
  readonly chosenEarlier: (integrationId: string) => readonly string[];
  readonly hasClient: (integrationId: string, authKey: string) => boolean;
}

/**
 * What a run of an agent needs of its integrations, in the manifest's order, and what is missing
 * (reference: sidecar, section 5.6).
 */
export function requirementsOf(input: RequirementInput): RunRequirements {
  const integrations = Object.keys(input.agent.dependencies.integrations).map((id) => requirement(id, input));
  return {
    isReady: integrations.every(({ status }) => status === 'ready' || status === 'inert'),
    integrations,
  };
}

function requirement(id: string, input: RequirementInput): IntegrationRequirement {
  const integration = input.integrations.get(id);
  if (!integration) {
    const detail = `The agent needs ${id}, which is not in your library.`;
    return {
      integrationId: id,
      displayName: id,
      status: 'integration_not_found',
      detail,
      tools: [],
      auths: [],
      candidates: [],
      chosen: [],
      source: 'none',
    };
  }
  const choice = input.agent.integrationChoices[id] ?? {};
  const { displayName } = integration;
  const keys = Object.keys(integration.auths).filter(
    (key) => choice.authKey === undefined || choice.authKey === key,
  );
  const candidates = candidatesOf(
    integration,
    keys,
    choice,
    input.connections.filter((one) => one.integrationId === id),
  );
  const selection = select(id, candidates, input);
  const granted = grantedOf(selection.chosen, input.connections);
  const base = {
    integrationId: id,
    displayName,
    tools: toolsOf(integration, choice),
    auths: Object.entries(integration.auths)
      .filter(([authKey]) => keys.includes(authKey))
      .map(([authKey, auth]) => {
        const isOAuth = auth.type === 'oauth2';
        const needed = neededScopes(integration, authKey, choice);
        const requested = isOAuth ? requestedScopes(auth, needed, granted.get(authKey) ?? []) : [];
        const reasons = requested.map(
          (scope) => [scope, scopeReasons(integration, authKey, choice, scope)] as const,
        );
        return {
          authKey,
          type: auth.type,
          neededScopes: needed,
          requestedScopes: requested,
          reasons: Object.fromEntries(reasons),
          needsClient: isOAuth && !input.hasClient(id, authKey),
          authorizedUris: auth.allowsAllUris ? ['*'] : [...auth.authorizedUris],
        };
      }),
    candidates,
    ...selection,
  };
  const verdict = judge(displayName, integration, choice, keys, candidates, selection);
  return { ...base, ...verdict };
}

function candidatesOf(
  integration: IntegrationManifest,
  keys: readonly string[],
  choice: IntegrationChoice,
  connections: readonly Connection[],
): Candidate[] {
  return connections
    .filter(({ authKey }) => keys.includes(authKey))
    .map(({ id, authKey, label, accountId, state, scopes, problem }) => {
      const auth = integration.auths[authKey];
      return {
        connectionId: id,
        authKey,
        label,
        accountId,
        state,
        missingScopes: auth ? missingScopes(auth, neededScopes(integration, authKey, choice), scopes) : [],
        ...(problem && { problem }),
      };
    });
}

/** The choice of this start, else the agent's own of earlier, else the only one that works. */
function select(
  id: string,
  candidates: readonly Candidate[],
  input: RequirementInput,
): Pick<IntegrationRequirement, 'chosen' | 'source'> {
  const known = (ids: readonly string[]) =>
    [...new Set(ids)].filter((one) => candidates.some(({ connectionId }) => connectionId === one));
  const now = known(input.chosenNow[id] ?? []);
  if (now.length > 0) return { chosen: now, source: 'run' };
  const earlier = known(input.chosenEarlier(id));
  if (earlier.length > 0) return { chosen: earlier, source: 'agent' };
  const working = candidates.filter(({ state }) => state === 'connected');
  const [only] = working.length === 1 ? working : candidates.length === 1 ? candidates : [];
  return only ? { chosen: [only.connectionId], source: 'only' } : { chosen: [], source: 'none' };
}

function judge(
  name: string,
  integration: IntegrationManifest,
  choice: IntegrationChoice,
  keys: readonly string[],
  candidates: readonly Candidate[],
  { chosen }: Pick<IntegrationRequirement, 'chosen'>,
): Pick<IntegrationRequirement, 'status' | 'detail'> {
  if (isInert(integration, choice)) return { status: 'inert', detail: '' };
  if (keys.length === 0) {
    const detail = `The agent wants to use ${name} by "${choice.authKey ?? ''}", which it does not have.`;
    return { status: 'auth_key_mismatch', detail };
  }
  if (candidates.length === 0) return { status: 'not_connected', detail: `${name} is not connected yet.` };
  if (chosen.length > MAX_CHOSEN_CONNECTIONS) {
    const detail = `${chosen.length} connections of ${name} were chosen; a run takes ${MAX_CHOSEN_CONNECTIONS}.`;
    return { status: 'too_many_connections', detail };
  }
  const taken = candidates.filter(({ connectionId }) => chosen.includes(connectionId));
  if (taken.length === 0) {
    return candidates.some(({ state }) => state === 'connected')
      ? { status: 'must_choose_connection', detail: `Choose which account of ${name} to use.` }
      : { status: 'needs_reconnection', detail: `Every account of ${name} needs a new sign-in.` };
  }
  const ended = taken.filter(({ state }) => state === 'needs_sign_in');
  if (ended.length > 0) {
    const labels = ended.map(({ label }) => label).join(', ');
    return { status: 'needs_reconnection', detail: `${name}: ${labels} needs a new sign-in.` };
  }
  const short = taken.find((one) => one.missingScopes.length > 0);
  if (short) {
    const detail = `${name}: ${short.label} does not allow ${short.missingScopes.join(', ')}, which the agent's tools need.`;
    return { status: 'insufficient_scopes', detail };
  }
  return { status: 'ready', detail: '' };
}

/** Nothing of it is taken: no tool, no scope, and no method says that it is needed all the same. */
function isInert(integration: IntegrationManifest, choice: IntegrationChoice): boolean {
  return (
    toolsOf(integration, choice).length === 0 &&
    (choice.scopes ?? []).length === 0 &&
    !Object.values(integration.auths).some(({ required }) => required)
  );
}

function toolsOf(integration: IntegrationManifest, choice: IntegrationChoice): string[] | '*' {
  const tools = choice.tools ?? integration.defaultTools;
  return tools === '*' ? tools : [...tools];
}

/** Scopes that the chosen connections have, by method: a new consent must not take one away. */
function grantedOf(chosen: readonly string[], connections: readonly Connection[]): Map<string, string[]> {
  const granted = new Map<string, string[]>();
  for (const { id, authKey, scopes } of connections) {
    if (chosen.includes(id)) granted.set(authKey, [...(granted.get(authKey) ?? []), ...scopes]);
  }
  return granted;
}
