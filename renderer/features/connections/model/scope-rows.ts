import { reasonText } from '#shared/tools/scope-reason-text.ts';
import { scopeRisk } from '#shared/tools/scope-risk.ts';
import type { AuthNeeds } from '#shared/connections/requirements.ts';
import { impliedScopes, requestedScopes, type ScopeReason } from '#shared/tools/scopes.ts';

/** A scope as a person reads it before a consent. */
export interface ScopeRow {
  readonly value: string;
  readonly label: string;
  readonly description: string;
  /** Why it is asked for; empty for one that is only kept. */
  readonly reason: string;
  readonly isGranted: boolean;
  /** Why it weighs much, as the end of "It …". */
  readonly risk: string | undefined;
}

export interface ScopeWish {
  /** Scopes that are needed now. */
  readonly needed: readonly string[];
  readonly reasons: Readonly<Record<string, readonly ScopeReason[]>>;
  /** Scopes the person added. */
  readonly added: readonly string[];
  readonly granted: readonly string[];
  /** The account works no more: what it was granted is asked for anew. */
  readonly isOver: boolean;
}

type Method = Pick<AuthNeeds, 'defaultScopes' | 'scopeCatalog'>;

/** What a consent will ask for, in the order it is asked. */
export function scopeRows(method: Method, wish: ScopeWish): ScopeRow[] {
  const allowed = impliedScopes(method, wish.granted);
  return requestedScopes(method, [...wish.needed, ...wish.added], wish.granted).map((value) => ({
    ...describeScope(method, value),
    reason: reasonOf(value, method, wish),
    isGranted: !wish.isOver && allowed.has(value),
  }));
}

/** Scopes of the catalogue that would come on top. */
export function furtherScopes(method: Method, rows: readonly ScopeRow[]): Omit<ScopeRow, 'reason'>[] {
  const asked = new Set(rows.map(({ value }) => value));
  return method.scopeCatalog
    .filter(({ value }) => !asked.has(value))
    .map(({ value }) => ({ ...describeScope(method, value), isGranted: false }));
}

/** What people call a scope, and what it lets an agent do. */
export function describeScope(
  { scopeCatalog }: Pick<Method, 'scopeCatalog'>,
  value: string,
): Pick<ScopeRow, 'value' | 'label' | 'description' | 'risk'> {
  const known = scopeCatalog.find((scope) => scope.value === value);
  const label = known?.label ?? value;
  return { value, label, description: known?.description ?? '', risk: scopeRisk(value, label) };
}

function reasonOf(
  value: string,
  { defaultScopes }: Method,
  { needed, reasons, added, granted, isOver }: ScopeWish,
): string {
  const known = reasonText(reasons[value] ?? []);
  if (known !== '') return known;
  if (defaultScopes.includes(value)) return 'always asked';
  if (needed.includes(value)) return 'needed by the agent';
  if (added.includes(value)) return 'added by you';
  if (!granted.includes(value)) return '';
  return isOver ? 'granted before' : 'kept, as it is granted already';
}
