import type { ScopeReason } from './scopes.ts';

/** Tools a sentence names before it counts them. */
const NAMED_TOOLS = 2;

/** Why a scope is asked for, in a few words; empty where there is no reason. */
export function reasonText(reasons: readonly ScopeReason[]): string {
  const tools = reasons.flatMap((reason) => (reason.kind === 'tool' ? [reason.tool] : []));
  const parts = [
    reasons.some(({ kind }) => kind === 'default') ? 'always asked' : '',
    tools.length === 0
      ? ''
      : tools.length <= NAMED_TOOLS
        ? `for ${tools.join(' and ')}`
        : `for ${tools.length} tools`,
    reasons.some(({ kind }) => kind === 'pinned') ? 'added by you' : '',
  ];
  return parts.filter(Boolean).join(', ');
}
