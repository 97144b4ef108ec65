import { describe, expect, it } from 'vitest';
import { select, type Choices } from './selection.ts';

const choices: Choices = {
  preference: 'automatic',
  consented: false,
  dockerAnswers: false,
  processAvailable: true,
  attempts: [],
  platform: 'linux',
};

describe('select', () => {
  it.each([
    [{ dockerAnswers: true }, 'docker'],
    [{ dockerAnswers: true, consented: true }, 'docker'],
    [{ preference: 'docker', dockerAnswers: true }, 'docker'],
    [{ consented: true }, 'process'],
    [{ preference: 'process', dockerAnswers: true, consented: true }, 'process'],
    [{}, 'needs_consent'],
    [{ preference: 'process', dockerAnswers: true }, 'needs_consent'],
    [{ preference: 'docker', consented: true }, 'missing'],
    [{ processAvailable: false }, 'missing'],
    [{ processAvailable: false, consented: true }, 'missing'],
    [{ preference: 'process', dockerAnswers: true, processAvailable: false }, 'missing'],
  ] as [Partial<Choices>, string][])('makes of %j: %s', (change, expected) => {
    const selection = select({ ...choices, ...change });
    expect(selection.state === 'ready' ? selection.kind : selection.state).toBe(expected);
  });

  it('tells of the engine that refused rather than to install one', () => {
    const attempts = [
      { origin: 'a', address: '/a', outcome: 'absent', detail: 'Not there.' },
      { origin: 'b', address: '/b', outcome: 'refused', detail: 'You may not.' },
    ] as const;
    const selection = select({ ...choices, preference: 'docker', attempts });
    expect(selection).toMatchObject({ problem: { code: 'no_engine', detail: 'b (/b): You may not.' } });
    expect(select({ ...choices, preference: 'docker' })).toMatchObject({
      problem: { action: expect.stringContaining('apt install') as string },
    });
  });
});
