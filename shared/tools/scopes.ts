import type { IntegrationChoice } from '../manifest/model/agent.ts';
import type { AuthMethod, IntegrationManifest } from '../manifest/model/integration.ts';

/**
 * Scopes that an agent needs of one authentication method: those of the tools it takes, and those it pins
 * (reference: afps, section 9). With every tool taken, the method's default scopes stand for the tools.
 * Only OAuth has scopes, so any other method needs none.
 */
export function neededScopes(
  integration: IntegrationManifest,
  authKey: string,
  choice: IntegrationChoice = {},
): string[] {
  const auth = integration.auths[authKey];
  if (auth?.type !== 'oauth2') return [];
  const tools = choice.tools ?? integration.defaultTools;
  const ofTools =
    tools === '*'
      ? auth.defaultScopes
      : tools.flatMap((tool) =>
          Object.hasOwn(integration.toolScopes, tool) ? (integration.toolScopes[tool]?.[authKey] ?? []) : [],
        );
  const pinned = (choice.scopes ?? []).filter((scope) => belongsTo(scope, authKey, integration));
  return unique([...ofTools, ...pinned]);
}

/** Why a scope is asked for. */
export type ScopeReason =
  | { readonly kind: 'default' }
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'pinned' };

/** Every reason there is for asking an account for a scope; none for one that is only granted already. */
export function scopeReasons(
  integration: IntegrationManifest,
  authKey: string,
  choice: IntegrationChoice,
  scope: string,
): ScopeReason[] {
  const tools = choice.tools ?? integration.defaultTools;
  const needs = (tool: string) =>
    Object.hasOwn(integration.toolScopes, tool) &&
    (integration.toolScopes[tool]?.[authKey] ?? []).includes(scope);
  return [
    ...(integration.auths[authKey]?.defaultScopes.includes(scope) ? [{ kind: 'default' } as const] : []),
    ...(tools === '*' ? [] : tools).filter(needs).map((tool) => ({ kind: 'tool', tool }) as const),
    ...(choice.scopes?.includes(scope) ? [{ kind: 'pinned' } as const] : []),
  ];
}

/**
 * Scopes to ask for when connecting: the method's defaults, what is needed now, and what is granted
 * already, so that a new consent never takes anything away. Scopes that others of the set imply stay:
 * services differ in whether they infer them.
 */
export function requestedScopes(
  auth: Pick<AuthMethod, 'defaultScopes'>,
  needed: readonly string[],
  granted: readonly string[] = [],
): string[] {
  return unique([...auth.defaultScopes, ...needed, ...granted]);
}

/** All that a set of scopes allows, following `implies` through the catalog. */
export function impliedScopes(auth: Pick<AuthMethod, 'scopeCatalog'>, scopes: Iterable<string>): Set<string> {
  const implies = new Map(auth.scopeCatalog.map((scope) => [scope.value, scope.implies]));
  const reached = new Set<string>();
  const waiting = [...scopes];
  for (let scope = waiting.pop(); scope !== undefined; scope = waiting.pop()) {
    if (reached.has(scope)) continue;
    reached.add(scope);
    waiting.push(...(implies.get(scope) ?? []));
  }
  return reached;
}

/** The needed scopes that a grant does not allow, in the order they are needed. */
export function missingScopes(
  auth: Pick<AuthMethod, 'scopeCatalog'>,
  needed: readonly string[],
  granted: readonly string[],
): string[] {
  const allowed = impliedScopes(auth, granted);
  return unique(needed).filter((scope) => !allowed.has(scope));
}

/**
 * Scopes as a token response lists them: separated by spaces, commas or what an address makes of a space,
 * whatever the service asks for in a request.
 */
export function splitScopes(text: string): string[] {
  return unique(text.split(/(?:[\s,]|%20)+/).filter((scope) => scope !== ''));
}

/** A pinned scope counts for the methods whose catalog has it, and for all where no catalog has it. */
function belongsTo(scope: string, authKey: string, integration: IntegrationManifest): boolean {
  const isIn = ({ scopeCatalog }: AuthMethod) => scopeCatalog.some(({ value }) => value === scope);
  const auth = integration.auths[authKey];
  if (auth === undefined || isIn(auth)) return auth !== undefined;
  return !Object.values(integration.auths).some(isIn);
}

function unique(scopes: readonly string[]): string[] {
  return [...new Set(scopes)];
}
