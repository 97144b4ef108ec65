import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { impliedScopes, missingScopes, neededScopes, requestedScopes, splitScopes } from './scopes.ts';

const scope = (value: string, ...implies: string[]) => ({ value, label: value, description: '', implies });

const repoAuth = {
  type: 'oauth2',
  defaultScopes: ['user'],
  scopeCatalog: [
    scope('user'),
    scope('repo', 'public_repo'),
    scope('public_repo', 'status'),
    scope('status'),
  ],
} as unknown as AuthMethod;

const integration = {
  auths: {
    oauth: repoAuth,
    key: { type: 'api_key', defaultScopes: [], scopeCatalog: [] },
    other: { type: 'oauth2', defaultScopes: [], scopeCatalog: [scope('mail')] },
  },
  toolScopes: { clone: { oauth: ['public_repo'] }, push: { oauth: ['repo'], other: ['mail'] }, look: {} },
  defaultTools: ['clone'],
} as unknown as IntegrationManifest;

describe('needed scopes', () => {
  it('are those of the chosen tools and of no other', () => {
    expect(neededScopes(integration, 'oauth', { tools: ['push', 'look', 'api_call'] })).toEqual(['repo']);
    expect(neededScopes(integration, 'other', { tools: ['push'] })).toEqual(['mail']);
    expect(neededScopes(integration, 'oauth', { tools: ['constructor'] })).toEqual([]);
  });

  it('fall back to the integration’s own tools, and to the defaults where every tool is taken', () => {
    expect(neededScopes(integration, 'oauth')).toEqual(['public_repo']);
    expect(neededScopes(integration, 'oauth', { tools: [] })).toEqual([]);
    expect(neededScopes(integration, 'oauth', { tools: '*' })).toEqual(['user']);
  });

  it('give a pinned scope to the method that has it, and one that no catalog has to all', () => {
    const choice = { tools: [], scopes: ['mail', 'unheard'] };
    expect(neededScopes(integration, 'oauth', choice)).toEqual(['unheard']);
    expect(neededScopes(integration, 'other', choice)).toEqual(['mail', 'unheard']);
  });

  it('are none for a method that is not OAuth', () => {
    expect(neededScopes(integration, 'key', { tools: '*', scopes: ['x'] })).toEqual([]);
  });
});

describe('granted scopes', () => {
  it('allow what they imply, through any number of steps, also in a circle', () => {
    expect(missingScopes(repoAuth, ['status', 'user'], ['repo'])).toEqual(['user']);
    const circle = { scopeCatalog: [scope('a', 'b'), scope('b', 'a')] };
    expect([...impliedScopes(circle, ['a'])].sort()).toEqual(['a', 'b']);
  });

  it('are never asked for less by a new consent', () => {
    const names = fc.array(fc.constantFrom('user', 'repo', 'public_repo', 'status', 'x'));
    fc.assert(
      fc.property(names, names, (needed, granted) => {
        const requested = requestedScopes(repoAuth, needed, granted);
        expect(new Set(requested).size).toBe(requested.length);
        expect(missingScopes(repoAuth, [...needed, ...granted, 'user'], requested)).toEqual([]);
      }),
    );
  });
});

describe('scopes of a token response', () => {
  it('are read whatever stands between them', () => {
    expect(splitScopes('repo,read:user')).toEqual(['repo', 'read:user']);
    expect(splitScopes(' a  b\tb%20c+d ')).toEqual(['a', 'b', 'c+d']);
    expect(splitScopes('')).toEqual([]);
  });

  it('come back as they were joined', () => {
    const value = fc.stringMatching(/^[a-z:/.]{1,12}$/);
    fc.assert(
      fc.property(fc.uniqueArray(value), fc.constantFrom(' ', ',', ', ', '%20'), (scopes, separator) => {
        expect(splitScopes(scopes.join(separator))).toEqual(scopes);
      }),
    );
  });
});
