import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLeftOver, ownerLabels } from './labels.ts';

const live = new Set(['mine', 'other']);
const me = { instanceId: 'mine', hostId: 'host', isLive: (id: string) => live.has(id) };
const made = (instanceId: string, hostId = 'host'): Record<string, string> =>
  ownerLabels({ instanceId, hostId }, { runId: 'run' });

describe('isLeftOver', () => {
  it("takes a dead instance's things, and leaves those of any live one", () => {
    expect(isLeftOver(made('dead'), me, false)).toBe(true);
    expect(isLeftOver(made('other'), me, false)).toBe(false);
    expect(isLeftOver(made('mine'), me, false)).toBe(false);
  });

  it("takes this instance's own things when asked, and still none of another live one", () => {
    expect(isLeftOver(made('mine'), me, true)).toBe(true);
    expect(isLeftOver(made('other'), me, true)).toBe(false);
  });

  it('never takes what another host or another program made', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.boolean(), (labels, takesOwn) => {
        expect(isLeftOver(labels, me, takesOwn)).toBe(false);
        expect(isLeftOver({ ...made('dead', 'elsewhere'), ...labels }, me, takesOwn)).toBe(false);
      }),
    );
  });
});
