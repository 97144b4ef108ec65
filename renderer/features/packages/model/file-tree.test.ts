import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileTree, visibleRows } from './file-tree.ts';

const paths = (...given: string[]) => given.map((path) => ({ path }));

describe('fileTree', () => {
  it('puts folders before files, each by name', () => {
    const rows = visibleRows(fileTree(paths('b.md', 'scripts/z.py', 'a.md', 'scripts/lib/x.py')), new Set());
    expect(rows.map(({ node, level }) => `${level} ${node.path}`)).toEqual([
      '1 scripts',
      '2 scripts/lib',
      '3 scripts/lib/x.py',
      '2 scripts/z.py',
      '1 a.md',
      '1 b.md',
    ]);
  });

  it('hides what is in a closed folder, but not the folder', () => {
    const tree = fileTree(paths('a/b/c.md', 'a/d.md', 'e.md'));
    expect(visibleRows(tree, new Set(['a'])).map(({ node }) => node.path)).toEqual(['a', 'e.md']);
  });

  it('shows every file once, whatever it is called', () => {
    const step = fc.string({ minLength: 1, maxLength: 4 }).filter((text) => !text.includes('/'));
    const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
    fc.assert(
      fc.property(fc.uniqueArray(path), (all) => {
        const shown = visibleRows(fileTree(paths(...all)), new Set()).flatMap(({ node }) => node.file ?? []);
        expect(shown.map((file) => file.path).sort()).toEqual([...all].sort());
      }),
    );
  });
});
