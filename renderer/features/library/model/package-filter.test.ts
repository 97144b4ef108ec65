import { describe, expect, it } from 'vitest';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import { countStates, countTags, filterPackages, groupByKind, isInState } from './package-filter.ts';

function summary(name: string, given: Partial<PackageSummary> = {}): PackageSummary {
  return {
    name: `@me/${name}`,
    type: 'agent',
    displayName: name,
    description: '',
    keywords: [],
    state: 'published',
    latestVersion: '1.0.0',
    versionCount: 1,
    yankedCount: 0,
    tags: {},
    errorCount: 0,
    publishErrorCount: 0,
    warningCount: 0,
    usedByCount: 0,
    updatedAt: 0,
    ...given,
  };
}

const names = (packages: readonly PackageSummary[]) => packages.map(({ displayName }) => displayName);

describe('filterPackages', () => {
  it('wants every word somewhere, and puts those first that have it in their name', () => {
    const packages = [
      summary('archive', { description: 'Keeps mail for years.' }),
      summary('mail', { keywords: ['years'] }),
      summary('calendar'),
    ];
    expect(names(filterPackages(packages, { query: ' Mail  years' }))).toEqual(['mail', 'archive']);
    expect(filterPackages(packages, { query: 'mail nowhere' })).toEqual([]);
  });

  it('finds by further words, such as tools', () => {
    const found = filterPackages([summary('a')], { query: 'output' }, () => 'output log');
    expect(names(found)).toEqual(['a']);
  });

  it('joins kind, state and tag', () => {
    const packages = [
      summary('a', { type: 'skill', state: 'draft', keywords: ['x'] }),
      summary('b', { type: 'skill', state: 'draft' }),
      summary('c', { type: 'agent', state: 'draft', keywords: ['x'] }),
    ];
    const filter = { kind: 'skill', state: 'draft', tag: 'x', query: '' } as const;
    expect(names(filterPackages(packages, filter))).toEqual(['a']);
  });
});

describe('isInState', () => {
  it('counts a package with a withdrawn version as both published and yanked, until all are withdrawn', () => {
    const some = summary('a', { versionCount: 2, yankedCount: 1 });
    const all = summary('a', { versionCount: 2, yankedCount: 2 });
    expect([isInState(some, 'published'), isInState(some, 'yanked')]).toEqual([true, true]);
    expect([isInState(all, 'published'), isInState(all, 'yanked')]).toEqual([false, true]);
  });

  it('calls neither a sample nor a first draft published', () => {
    expect(isInState(summary('a', { state: 'sample' }), 'published')).toBe(false);
    expect(isInState(summary('a', { state: 'draft', versionCount: 0 }), 'published')).toBe(false);
  });
});

describe('the groups', () => {
  it('leave out kinds, states and tags of which there are none', () => {
    const packages = [
      summary('a', { keywords: ['x', 'x'] }),
      summary('b', { type: 'skill', keywords: ['y', 'x'] }),
    ];
    expect(groupByKind(packages).map(({ kind }) => kind)).toEqual(['agent', 'skill']);
    expect(countStates(packages)).toEqual([{ state: 'published', count: 2 }]);
    expect(countTags(packages)).toEqual([
      { tag: 'x', count: 2 },
      { tag: 'y', count: 1 },
    ]);
  });
});
