import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKAGE_NAME } from '#shared/manifest/identity.ts';
import { proposeName, refuseName, slugOf } from './package-names.ts';

describe('slugOf', () => {
  it('keeps the letters of accented words', () => {
    expect(slugOf('  Hafen-Übersicht für Zoë ')).toBe('hafen-ubersicht-fur-zoe');
    expect(slugOf('港')).toBe('');
  });

  it('always makes a name that is allowed, or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 90 }), (title) => {
        const slug = slugOf(title);
        expect(slug === '' || PACKAGE_NAME.test(`@me/${slug}`)).toBe(true);
      }),
    );
  });
});

describe('proposeName', () => {
  it('finds the first that is free', () => {
    expect(proposeName('report', ['@me/report', '@me/report-2'], '@me')).toBe('@me/report-3');
  });
});

describe('refuseName', () => {
  it('says what a name looks like, and which are taken', () => {
    expect(refuseName('report', [])).toContain('@scope/name');
    expect(refuseName('@me/report', ['@me/report'])).toContain('already');
    expect(refuseName('@me/report', [])).toBeUndefined();
  });
});
