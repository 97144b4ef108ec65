import fc from 'fast-check';
import { maxSatisfying } from 'semver';
import { describe, expect, it } from 'vitest';
import type { DependencyNode } from '#shared/ipc/library-routes.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { compareVersions } from '#shared/manifest/identity.ts';
import {
  choose,
  faultsIn,
  nodesIn,
  resolveDependencies,
  type Candidate,
  type CandidateSource,
} from './resolve.ts';

function version(text: string, more: Partial<Candidate> = {}): Candidate {
  return { version: text, isDraft: false, isYanked: false, dependencies: () => [], ...more };
}

/** Packages by name, each with the ranges of the skills it needs. */
function source(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>>,
  type: PackageType = 'skill',
): CandidateSource {
  return {
    find(name) {
      const needs = packages[name];
      if (needs === undefined) return undefined;
      const dependencies = Object.entries(needs).map(([needed, range]) => ({
        kind: 'skill' as const,
        name: needed,
        range,
      }));
      return { type, tags: {}, candidates: [version('1.0.0', { dependencies: () => dependencies })] };
    },
  };
}

const root = (...names: string[]) => ({
  name: '@you/root',
  dependencies: names.map((name) => ({ kind: 'skill' as const, name, range: '^1' })),
});

describe('choosing a version', () => {
  it('takes the highest in range as semver has it, whatever there is', () => {
    const versions = fc
      .tuple(fc.nat(3), fc.nat(3), fc.nat(3), fc.option(fc.constantFrom('rc.1', 'beta'), { nil: undefined }))
      .map(([a, b, c, pre]) => `${a}.${b}.${c}${pre === undefined ? '' : `-${pre}`}`);
    const ranges = fc.constantFrom('*', '', '^1', '~1.2', '>=1.1.0 <3', '1.x || 3.x', '^2.0.0-beta', '1 - 2');
    fc.assert(
      fc.property(fc.uniqueArray(versions, { maxLength: 8 }), ranges, (all, range) => {
        const sorted = all.toSorted((a, b) => compareVersions(b, a)).map((text) => version(text));
        expect(choose(sorted, {}, range, false)?.version ?? null).toBe(maxSatisfying(all, range));
      }),
    );
  });

  it('passes over what was withdrawn, except for its exact version', () => {
    const candidates = [version('1.2.0', { isYanked: true }), version('1.1.0')];
    expect(choose(candidates, { stable: '1.2.0' }, '^1', false)?.version).toBe('1.1.0');
    expect(choose(candidates, { stable: '1.2.0' }, 'stable', false)).toBeUndefined();
    expect(choose(candidates, {}, 'v1.2.0', false)?.version).toBe('1.2.0');
  });

  it('takes a draft only when asked to, and then first', () => {
    const candidates = [version('1.0.0', { isDraft: true }), version('1.2.0'), version('1.0.0')];
    expect(choose(candidates, {}, '^1', true)?.isDraft).toBe(true);
    expect(choose(candidates, {}, '^1.1', true)?.version).toBe('1.2.0');
    expect(choose(candidates, {}, '1.0.0', false)?.isDraft).toBe(false);
    expect(choose(candidates, { next: '1.0.0' }, 'next', true)?.isDraft).toBe(false);
  });
});

describe('a tree of dependencies', () => {
  it('says what is missing, what does not fit and what is of another type, with the way there', () => {
    const tree = resolveDependencies(
      root('@you/a'),
      source({ '@you/a': { '@you/b': '^2', '@you/gone': '*' }, '@you/b': {} }),
      false,
    );
    expect(faultsIn(tree).map(({ detail }) => detail)).toEqual([
      'No version of the skill @you/b fits "^2"; there is 1.0.0 (needed by @you/a).',
      'The skill @you/gone is not in the library (needed by @you/a).',
    ]);
    const wrong = resolveDependencies(root('@you/a'), source({ '@you/a': {} }, 'agent'), false);
    expect(faultsIn(wrong)[0]?.detail).toBe('@you/a is needed as skill, but it is of type "agent".');
  });

  it('shows a circle where it closes and ends there', () => {
    const tree = resolveDependencies(
      root('@you/a'),
      source({ '@you/a': { '@you/b': '*' }, '@you/b': { '@you/a': '*', '@you/root': '*' } }),
      false,
    );
    const cycles = [...nodesIn(tree)]
      .filter(({ node }) => node.state === 'cycle')
      .map(({ node }) => node.path?.join(' '));
    expect(cycles).toEqual(['@you/a @you/b @you/a', '@you/root @you/a @you/b @you/root']);
  });

  it('stays small where many ways lead to the same packages', () => {
    const layers = 24;
    const packages: Record<string, Record<string, string>> = {};
    for (let layer = 0; layer < layers; layer += 1) {
      for (const side of ['x', 'y']) {
        packages[`@you/${side}${layer}`] =
          layer + 1 < layers ? { [`@you/x${layer + 1}`]: '*', [`@you/y${layer + 1}`]: '*' } : {};
      }
    }
    const tree: DependencyNode[] = resolveDependencies(root('@you/x0', '@you/y0'), source(packages), false);
    const nodes = [...nodesIn(tree)];
    expect(nodes.length).toBeLessThan(5 * layers);
    expect(new Set(nodes.map(({ node }) => node.name)).size).toBe(2 * layers);
    expect(faultsIn(tree)).toEqual([]);
  });
});
