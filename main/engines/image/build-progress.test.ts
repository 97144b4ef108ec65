import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BuildProgressTracker, KEPT_LINES, dockerfileSteps, type BuildEvent } from './build-progress.ts';

const dockerfile = await readFile(
  join(import.meta.dirname, '..', '..', 'sandbox', 'image', 'Dockerfile'),
  'utf8',
);

/** Events of a build as the engine sent them, in short. */
const APT: BuildEvent[] = [
  { stream: 'Step 6/20 : RUN apt-get update && apt-get install -y git' + ' package'.repeat(200) },
  { stream: '\n' },
  { stream: ' ---> Running in 0123456789ab\n' },
  { stream: '0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.\n' },
  { stream: 'Get:1 http://mirror bookworm/main amd64 git\nGet:2 http://mirror bookworm/main amd64 perl\n' },
  { stream: '(Reading database ... 5%\r(Reading database ... 100%\r(Reading database ... 99 files.)\n' },
  { stream: 'Unpacking git ...\nUnpacking perl ...\nSetting up git ...\n' },
];

describe('dockerfileSteps', () => {
  it('counts what the engine counts: instructions, not lines or comments', () => {
    const text = 'ARG A=1\n# a comment\nFROM x\n\nRUN a \\\n  # inside\n && b \\\n && c\nCOPY d e\n';
    expect(dockerfileSteps(text)).toHaveLength(4);
    expect(dockerfileSteps(dockerfile)).toHaveLength(20);
  });
});

describe('BuildProgressTracker', () => {
  it('names the step and goes on within it, also when its line is longer than what is kept', () => {
    const tracker = new BuildProgressTracker(dockerfile);
    const fractions = APT.map((event) => {
      tracker.add(event);
      return tracker.progress.fraction;
    });
    expect(tracker.progress.step).toBe('Installing Debian packages');
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(fractions.at(-1)! - fractions[1]!).toBeGreaterThan(0.4);
    expect(tracker.progress.lines.some((line) => line.endsWith('100%'))).toBe(false);
  });

  it('shows how far a base image is fetched', () => {
    const tracker = new BuildProgressTracker(dockerfile);
    tracker.add({ stream: 'Step 3/20 : FROM debian:bookworm-slim\n' });
    const start = tracker.progress.fraction;
    tracker.add({ status: 'Downloading', id: 'a', progressDetail: { current: 50, total: 100 } });
    const half = tracker.progress.fraction;
    tracker.add({ status: 'Extracting', id: 'a', progressDetail: { current: 100, total: 100 } });
    expect(tracker.progress.step).toContain('debian:bookworm-slim');
    expect(half).toBeGreaterThan(start);
    expect(tracker.progress.fraction).toBeGreaterThan(half);
  });

  it("understands Podman's upper-case steps", () => {
    const tracker = new BuildProgressTracker(dockerfile);
    tracker.add({ stream: 'STEP 12/20: COPY programs /opt/slipway/programs\n' });
    expect(tracker.progress.step).toBe("Adding Slipway's programs");
  });

  it('keeps the reason of a failure as the last line', () => {
    const tracker = new BuildProgressTracker(dockerfile);
    for (const event of APT) tracker.add(event);
    tracker.add({ stream: 'E: half a line without an end' });
    tracker.add({ error: 'The command returned a non-zero code: 100' });
    expect(tracker.error).toBe('The command returned a non-zero code: 100');
    expect(tracker.progress.lines.slice(-2)).toEqual([
      'E: half a line without an end',
      'The command returned a non-zero code: 100',
    ]);
  });

  it('stays within bounds and never goes back, whatever the engine sends', () => {
    const event = fc.record(
      {
        stream: fc.oneof(
          fc.string(),
          fc.constantFrom('Step 4/10 : RUN x\n', '9 newly installed\nGet:1 a\n', '\u001b[31m'),
        ),
        status: fc.string(),
        id: fc.string(),
        progressDetail: fc.record({ current: fc.nat(), total: fc.nat() }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const tracker = new BuildProgressTracker(dockerfile);
        let before = 0;
        for (const each of events) {
          tracker.add(each);
          const { fraction, lines } = tracker.progress;
          expect(fraction).toBeGreaterThanOrEqual(before);
          expect(fraction).toBeLessThanOrEqual(1);
          expect(lines.length).toBeLessThanOrEqual(KEPT_LINES);
          // oxlint-disable-next-line no-control-regex -- what must not be there
          expect(lines.join('')).not.toMatch(/[\u0000-\u0008\u001b]/);
          before = fraction;
        }
      }),
    );
  });
});
