import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLeftOver, ownerLabels } from './labels.ts';

const live = new Set(['mine', 'other']);
const me = { instanceId: 'mine', hostId: 'host', isLive: (id: string) => live.has(id) };
const made = (instanceId: string, hostId = 'host', runId = 'run'): Record<string, string> =>
  ownerLabels({ instanceId, hostId }, { runId });

describe('isLeftOver', () => {
  it("takes a dead instance's things, and leaves those of any live one", () => {
    expect(isLeftOver(made('dead'), me, undefined)).toBe(true);
    expect(isLeftOver(made('other'), me, undefined)).toBe(false);
    expect(isLeftOver(made('mine'), me, undefined)).toBe(false);
  });

  it('takes a run of this instance when asked, and never the same run of another', () => {
    expect(isLeftOver(made('mine', 'host', 'run'), me, 'run')).toBe(true);
    expect(isLeftOver(made('mine', 'host', 'else'), me, 'run')).toBe(false);
    expect(isLeftOver(made('other', 'host', 'run'), me, 'run')).toBe(false);
  });

  it('never takes what another host or another program made', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.string()),
        fc.option(fc.string(), { nil: undefined }),
        (labels, runId) => {
          expect(isLeftOver(labels, me, runId)).toBe(false);
          expect(isLeftOver({ ...made('dead', 'elsewhere'), ...labels }, me, runId)).toBe(false);
        },
      ),
    );
  });
});
