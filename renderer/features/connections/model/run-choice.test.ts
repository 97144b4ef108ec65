import { describe, expect, it } from 'vitest';
import type { IntegrationRequirement } from '#shared/connections/requirements.ts';
import { isSettled } from '../hooks/requirement-sheet.tsx';
import { blockerOf, chosenFor, isGranted } from './run-choice.ts';

function requirement(change: Partial<IntegrationRequirement> = {}): IntegrationRequirement {
  return {
    integrationId: '@a/mail',
    displayName: 'Mail',
    status: 'ready',
    detail: '',
    tools: ['send'],
    auths: [],
    candidates: ['c1', 'c2'].map((connectionId) => ({
      connectionId,
      authKey: 'oauth',
      label: connectionId,
      accountId: 'default',
      state: 'connected',
      missingScopes: connectionId === 'c2' ? ['mail'] : [],
    })),
    chosen: ['c1'],
    source: 'agent',
    ...change,
  };
}
const needs = (...integrations: IntegrationRequirement[]) => ({
  isReady: integrations.every(({ status }) => status === 'ready' || status === 'inert'),
  integrations,
});

describe('a run', () => {
  it('begins without a question only with accounts that its agent chose before', () => {
    expect(isSettled(needs(), false)).toBe(true);
    expect(isSettled(needs(requirement()), true)).toBe(true);
    expect(isSettled(needs(requirement()), false)).toBe(false);
    expect(isSettled(needs(requirement({ source: 'only' })), true)).toBe(false);
    expect(isSettled(needs(requirement({ status: 'insufficient_scopes' })), true)).toBe(false);
    expect(isSettled(needs(requirement({ status: 'inert', source: 'none' })), false)).toBe(true);
  });

  it('is held back while every account is unticked, though main would fall back to the earlier ones', () => {
    expect(blockerOf(needs(requirement()), {})).toBeUndefined();
    expect(blockerOf(needs(requirement()), { '@a/mail': [] })).toBe('Choose which account of Mail to use.');
    const other = requirement({ status: 'not_connected', detail: 'Connect it.', candidates: [] });
    expect(blockerOf(needs(other), {})).toBe('Connect it.');
  });

  it('is given what was seen, also where nothing was picked, and nothing for what it does not use', () => {
    const inert = requirement({ integrationId: '@a/none', status: 'inert', chosen: [] });
    expect(chosenFor(needs(requirement(), inert), {})).toEqual({ '@a/mail': ['c1'] });
    expect(chosenFor(needs(requirement()), { '@a/mail': ['c2'] })).toEqual({ '@a/mail': ['c2'] });
  });

  it('shows a scope as granted only where every chosen account of that sign-in works and allows it', () => {
    const [one, other] = requirement().candidates;
    const granted = (chosen: string[], change: object = {}, authKey = 'oauth') =>
      isGranted({ candidates: [{ ...one!, ...change }, other!] }, chosen, authKey, 'mail');
    expect(granted(['c1'])).toBe(true);
    expect(granted(['c1', 'c2'])).toBe(false);
    expect(granted([])).toBe(false);
    expect(granted(['c1'], { state: 'needs_sign_in' })).toBe(false);
    // What another sign-in lacks says nothing of this one.
    expect(granted(['c1', 'c2'], { authKey: 'key' }, 'key')).toBe(true);
  });
});
