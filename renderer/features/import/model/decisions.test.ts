import { describe, expect, it } from 'vitest';
import type { ImportItem, ImportPreview } from '#shared/ipc/library-routes.ts';
import { decideAll, decideOne, inReadingOrder, proposedDecisions, summarize } from './decisions.ts';

function item(id: string, given: Partial<ImportItem> = {}): ImportItem {
  return {
    id,
    from: `${id}.afps`,
    name: `@me/${id}`,
    version: '1.0.0',
    type: 'skill',
    displayName: id,
    description: '',
    fileCount: 1,
    size: 1,
    isRoot: true,
    state: 'new',
    isConverted: false,
    mended: [],
    findings: [],
    dropped: [],
    changes: { reach: [], files: [], widens: false },
    choices: ['version', 'draft', 'skip'],
    replacesDraft: false,
    alsoFrom: [],
    rivals: [],
    ...given,
  };
}

const wide = { reach: [], files: [], widens: true };
const preview: ImportPreview = {
  token: 't',
  problems: [],
  warnings: [],
  items: [
    item('fresh', { changes: wide }),
    item('same', { state: 'unchanged', choices: ['skip', 'draft'], replacesDraft: true }),
    item('broken', { state: 'invalid', choices: ['skip'] }),
    item('wider', { state: 'upgrade', installedVersion: '0.9.0', changes: wide }),
  ],
};

describe('the decisions about an import', () => {
  it('begin with what main proposes, and count a refused package apart from one that is left', () => {
    const decisions = proposedDecisions(preview);
    expect(decisions).toEqual({ fresh: 'version', same: 'skip', broken: 'skip', wider: 'version' });
    expect(summarize(preview, decisions)).toMatchObject({ taken: 2, left: 1, refused: 1, replaced: [] });
  });

  it('never choose for all what one of them does not allow', () => {
    const drafts = decideAll(preview, proposedDecisions(preview), 'draft');
    expect(drafts).toEqual({ fresh: 'draft', same: 'draft', broken: 'skip', wider: 'draft' });
    expect(decideAll(preview, drafts, 'version')['same']).toBe('draft');
  });

  it('take one of two that are the same version, or drafts of one name, and leave the other', () => {
    const twice = {
      ...preview,
      items: [
        item('a', { name: '@me/x' }),
        item('b', { name: '@me/x', choices: ['skip', 'version', 'draft'] }),
        item('c', { name: '@me/x', version: '2.0.0' }),
        item('d', { name: '@me/x', version: '3.0.0', type: 'agent', choices: ['skip', 'version'] }),
      ],
    };
    const proposed = proposedDecisions(twice);
    expect(proposed).toEqual({ a: 'version', b: 'skip', c: 'version', d: 'skip' });
    const other = decideOne(twice, proposed, 'b', 'version');
    expect(other).toEqual({ a: 'skip', b: 'version', c: 'version', d: 'skip' });
    expect(decideAll(twice, other, 'version')).toEqual(other);
    expect(decideOne(twice, proposed, 'b', 'draft')).toEqual({ ...proposed, b: 'draft' });
    expect(decideAll(twice, proposed, 'draft')).toEqual({ a: 'draft', b: 'skip', c: 'skip', d: 'skip' });
    expect(decideOne(twice, proposed, 'd', 'version')).toEqual({
      a: 'skip',
      b: 'skip',
      c: 'skip',
      d: 'version',
    });
  });

  it('tell of a draft that goes only where a draft is taken', () => {
    const decisions = { ...proposedDecisions(preview), same: 'draft' } as const;
    expect(summarize(preview, decisions).replaced.map(({ id }) => id)).toEqual(['same']);
  });

  it('tell of what may do more only for packages that are here already', () => {
    expect(summarize(preview, proposedDecisions(preview)).widened.map(({ id }) => id)).toEqual(['wider']);
  });
});

describe('inReadingOrder', () => {
  it('puts what was refused before what a bundle is about, and that before what it needs', () => {
    const items = [
      item('b', { isRoot: false }),
      item('z'),
      item('a', { isRoot: false }),
      item('x', { choices: ['skip'] }),
    ];
    expect(inReadingOrder(items).map(({ id }) => id)).toEqual(['x', 'z', 'a', 'b']);
  });
});
