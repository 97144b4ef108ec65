import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKAGE_TYPES } from '#shared/manifest/dialect.ts';
import { PACKAGE_TABS, parsePlace, placeLink, RUN_TABS, SETTINGS_SECTIONS, type Place } from './place.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({
    name: fc.constant('library' as const),
    kind: fc.option(fc.constantFrom(...PACKAGE_TYPES), { nil: undefined }),
  }),
  fc.record({
    name: fc.constant('package' as const),
    kind: fc.constantFrom(...PACKAGE_TYPES),
    packageName: text,
    tab: fc.constantFrom(...PACKAGE_TABS),
    version: fc.option(text, { nil: undefined }),
    file: fc.option(text, { nil: undefined }),
    from: fc.option(text, { nil: undefined }),
    to: fc.option(text, { nil: undefined }),
    again: fc.option(text, { nil: undefined }),
  }),
  fc.record({
    name: fc.constant('runs' as const),
    status: fc.option(text, { nil: undefined }),
    agentId: fc.option(text, { nil: undefined }),
  }),
  fc.record({
    name: fc.constant('run' as const),
    runId: text,
    tab: fc.option(fc.constantFrom(...RUN_TABS), { nil: undefined }),
  }),
  fc.record({ name: fc.constant('settings' as const), section: fc.constantFrom(...SETTINGS_SECTIONS) }),
);

describe('places', () => {
  it('come back from their link, whatever an agent is called', () => {
    fc.assert(
      fc.property(place, (original) => {
        expect(parsePlace(placeLink(original))).toEqual(original);
      }),
    );
  });

  it('lead from the first app’s links to where the same is now', () => {
    expect(parsePlace('#/agents/%40a%2Fb/manifest')).toMatchObject({ tab: 'files', file: 'manifest.json' });
    expect(parsePlace('#/agents/%40a%2Fb')).toMatchObject({ packageName: '@a/b', tab: 'run' });
    expect(parsePlace('#/skills/%40a%2Fb')).toMatchObject({ kind: 'skill', tab: 'overview' });
  });

  it('are the library for a fragment that names none, or that is broken', () => {
    for (const fragment of ['', '#', '#/nowhere', '#token', '#/settings/secret'])
      expect(['library', 'settings']).toContain(parsePlace(fragment).name);
    expect(parsePlace('#/runs/%E0%A4%A')).toMatchObject({ name: 'run', runId: '%E0%A4%A' });
  });
});
