import { describe, expect, it } from 'vitest';
import { furtherScopes, scopeRows } from './scope-rows.ts';
import { connectionState } from './words.ts';

const method = {
  defaultScopes: ['profile'],
  scopeCatalog: [
    { value: 'profile', label: 'Read who you are', description: '', implies: [] },
    { value: 'mail', label: 'Read and send mail', description: 'All of it.', implies: ['mail.read'] },
    { value: 'mail.read', label: 'Read mail', description: '', implies: [] },
    { value: 'admin', label: 'Administer', description: '', implies: [] },
  ],
};
const nothing = { needed: [], reasons: {}, added: [], granted: [], isOver: false };

describe('scopes before a consent', () => {
  it('are the defaults, what is needed, what was added and what is granted, each with its reason', () => {
    const rows = scopeRows(method, {
      needed: ['mail.read', 'files'],
      reasons: { 'mail.read': [{ kind: 'tool', tool: 'search' }] },
      added: ['admin'],
      granted: ['old'],
      isOver: false,
    });
    expect(rows.map(({ value, label, reason }) => [value, label, reason])).toEqual([
      ['profile', 'Read who you are', 'always asked'],
      ['mail.read', 'Read mail', 'for search'],
      ['files', 'files', 'needed by the agent'],
      ['admin', 'Administer', 'added by you'],
      ['old', 'old', 'kept, as it is granted already'],
    ]);
    expect(rows.find(({ value }) => value === 'admin')?.risk).toBe('administers the account');
  });

  it('are asked for anew where the account works no more', () => {
    const rows = scopeRows(method, { ...nothing, granted: ['profile', 'old'], isOver: true });
    expect(rows.map(({ value, reason, isGranted }) => [value, reason, isGranted])).toEqual([
      ['profile', 'always asked', false],
      ['old', 'granted before', false],
    ]);
  });

  it('are granted also by one that implies them', () => {
    const rows = scopeRows(method, { ...nothing, needed: ['mail.read'], granted: ['mail'] });
    expect(rows.map(({ value, isGranted }) => [value, isGranted])).toEqual([
      ['profile', false],
      ['mail.read', true],
      ['mail', true],
    ]);
  });

  it('leave the rest of the catalogue to be added', () => {
    const rows = scopeRows(method, { ...nothing, needed: ['mail'] });
    expect(furtherScopes(method, rows).map(({ value }) => value)).toEqual(['mail.read', 'admin']);
  });
});

it('a connection says first what stops a run', () => {
  const fine = { state: 'connected' as const, lostScopes: [], renewable: true };
  expect(connectionState(fine, 10).text).toBe('Connected');
  expect(connectionState({ ...fine, expiresAt: 5 }, 10).text).toBe('Connected');
  expect(connectionState({ ...fine, renewable: false, expiresAt: 5 }, 10).text).toBe('Expired');
  expect(connectionState({ ...fine, lostScopes: ['a'] }, 10).text).toBe('Allows less than before');
  expect(connectionState({ ...fine, state: 'needs_sign_in', lostScopes: ['a'] }, 10).text).toBe(
    'Needs a new sign-in',
  );
});
