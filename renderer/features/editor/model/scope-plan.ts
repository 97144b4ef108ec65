import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import {
  impliedScopes,
  missingScopes,
  neededScopes,
  requestedScopes,
  scopeReasons,
  type ScopeReason,
} from '#shared/tools/scopes.ts';
import { packageOf, type EditorLibrary, type GrantedConnection } from '../ports.ts';
import { choiceOf, rangesOf } from './agent-value.ts';
import type { ManifestValue } from './manifest-document.ts';
import { scopeRisk } from '#shared/tools/scope-risk.ts';

export interface PlannedScope {
  readonly value: string;
  /** What a person calls it; the value where the catalog says nothing. */
  readonly label: string;
  readonly description: string;
  readonly reasons: readonly ScopeReason[];
  readonly risk: string | undefined;
}

/** What one authentication method will ask for. */
export interface AuthPlan {
  readonly key: string;
  readonly type: AuthMethod['type'];
  /** Whether the agent signs in by it: it is named, or there is no other. */
  readonly isChosen: boolean;
  readonly scopes: readonly PlannedScope[];
  readonly catalog: AuthMethod['scopeCatalog'];
  readonly connections: readonly {
    readonly connection: GrantedConnection;
    /** Needed scopes that it was not granted. */
    readonly missing: readonly string[];
  }[];
  /** Scopes a consent asks for, those granted before included. */
  readonly request: readonly string[];
}

export interface ScopePlan {
  readonly integration: string;
  readonly title: string;
  readonly auths: readonly AuthPlan[];
}

/** Scopes every integration of an agent will ask for, as far as the library knows them. */
export function planScopes(manifest: ManifestValue, library: EditorLibrary): ScopePlan[] {
  return rangesOf(manifest, 'integrations').flatMap(([name]) => {
    const known = packageOf(library, name, 'integration');
    if (known?.manifest?.type !== 'integration') return [];
    return [
      { integration: name, title: known.displayName, auths: planAuths(manifest, known.manifest, library) },
    ];
  });
}

function planAuths(
  manifest: ManifestValue,
  integration: IntegrationManifest,
  library: EditorLibrary,
): AuthPlan[] {
  const choice = choiceOf(manifest, integration.name);
  const keys = Object.keys(integration.auths);
  return Object.entries(integration.auths).map(([key, auth]): AuthPlan => {
    const needed = neededScopes(integration, key, choice);
    const connections = (library.connections ?? [])
      .filter((connection) => connection.integration === integration.name && connection.authKey === key)
      .map((connection) => ({ connection, missing: missingScopes(auth, needed, connection.scopes) }));
    const isOauth = auth.type === 'oauth2';
    const scopes = isOauth ? requestedScopes(auth, needed) : [];
    return {
      key,
      type: auth.type,
      isChosen: choice.authKey === undefined ? keys.length === 1 : choice.authKey === key,
      catalog: auth.scopeCatalog,
      scopes: scopes.map((value) => planScope(value, auth, scopeReasons(integration, key, choice, value))),
      connections,
      request: isOauth ? requestedScopes(auth, needed, connections[0]?.connection.scopes ?? []) : [],
    };
  });
}

function planScope(value: string, auth: AuthMethod, reasons: readonly ScopeReason[]): PlannedScope {
  const entry = auth.scopeCatalog.find((scope) => scope.value === value);
  const label = entry?.label ?? value;
  return { value, label, description: entry?.description ?? '', reasons, risk: scopeRisk(value, label) };
}

/** Scopes of the catalog that come with others that are asked for, so that pinning them adds nothing. */
export function comesAlong({ catalog, scopes }: AuthPlan): Set<string> {
  const asked = scopes
    .filter(({ reasons }) => reasons.some(({ kind }) => kind !== 'pinned'))
    .map(({ value }) => value);
  return impliedScopes({ scopeCatalog: catalog }, asked);
}
