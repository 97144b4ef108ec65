import { describe, expect, it } from 'vitest';
import { highestOf, proposedVersion, refuseVersion, versionChoices } from './version-choice.ts';

describe('versionChoices', () => {
  it('says what a step means, and that the manifest proposes another', () => {
    const choices = versionChoices(['1.3.0-beta.1', '1.2.4', '1.3.0', '2.0.0'], '1.2.3');
    expect(choices.map(({ version, meaning }) => [version, meaning.split(':')[0]])).toEqual([
      ['1.3.0-beta.1', 'as its manifest says'],
      ['1.2.4', 'patch'],
      ['1.3.0', 'minor'],
      ['2.0.0', 'major'],
    ]);
  });

  it('calls the first version the first', () => {
    expect(versionChoices(['0.1.0'], undefined)[0]?.meaning).toMatch(/^the first version/);
  });
});

describe('proposedVersion', () => {
  it('follows the change, but never falls behind what the manifest says', () => {
    const steps = ['1.2.4', '1.3.0', '2.0.0'];
    expect(proposedVersion(steps, '1.2.3', 'major')).toBe('2.0.0');
    expect(proposedVersion(steps, '1.2.3', 'patch')).toBe('1.2.4');
    expect(proposedVersion(['1.3.0-beta.1', ...steps], '1.2.3', 'patch')).toBe('1.3.0-beta.1');
    expect(proposedVersion(['1.3.0-beta.1', ...steps], '1.2.3', 'major')).toBe('2.0.0');
    expect(proposedVersion(steps, '1.2.3', undefined)).toBe('1.2.4');
    expect(proposedVersion(['0.1.0'], undefined, undefined)).toBe('0.1.0');
  });
});

describe('refuseVersion', () => {
  it('lets versions only go forward, by number and not by text', () => {
    const existing = ['1.9.0', '1.10.0'];
    expect(refuseVersion('1.9.5', existing)).toContain('1.10.0 is published');
    expect(refuseVersion('1.10.0', existing)).toContain('exists already');
    expect(refuseVersion('1.10.1', existing)).toBeUndefined();
    expect(refuseVersion('1.10.1-rc.1', existing)).toBeUndefined();
    expect(refuseVersion('1.10.0-rc.1', existing)).toContain('only go forward');
  });

  it('refuses what is no version, with an example', () => {
    for (const text of ['', '1.0', 'latest', '1.0.0.0']) expect(refuseVersion(text, [])).toContain('1.4.0');
  });
});

describe('highestOf', () => {
  it('does not depend on the order', () => {
    expect(highestOf(['2.0.0-rc.1', '1.9.0', '2.0.0', '1.10.0'])).toBe('2.0.0');
    expect(highestOf([])).toBeUndefined();
  });
});
