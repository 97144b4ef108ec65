import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter, writeFrontmatter } from './skill-frontmatter.ts';

describe('the head of a SKILL.md', () => {
  it.each([
    ['---\nname: a\ndescription: b\n---\n# A', 'a', 'b'],
    ['---\r\nname: a\r\ndescription: "b: c"\r\n---\r\n', 'a', 'b: c'],
    ['\uFEFF---\nname: a\n---', 'a', undefined],
    ['---\nname: a\ndescription: >\n  two\n  lines\n---\n', 'a', 'two lines'],
    ['---\nname: 5\n---\n', undefined, undefined],
    ['---\n---\n', undefined, undefined],
  ])('%j is read as YAML', (text, name, description) => {
    expect(readFrontmatter(text)).toEqual({ name, description, isUntold: false, fault: undefined });
  });

  it('is read line by line where it is no YAML', () => {
    const head = readFrontmatter("---\nname: 'a'\ndescription: use it: when {x\n\tbad: tab\n---\n");
    expect(head).toMatchObject({ name: 'a', description: 'use it: when {x' });
    expect(head?.fault).not.toBe('');
  });

  it.each(['', '# A', '---\nname: a', ' ---\nname: a\n---', '--- x\nname: a\n---'])('%j has none', (text) => {
    expect(readFrontmatter(text)).toBeUndefined();
  });

  it('cannot be made to expand without end, and never throws', () => {
    const bomb = `---\na: &a [1,1,1]\nb: &b [*a,*a,*a]\nname: c\n---\n`;
    expect(readFrontmatter(bomb)?.name).toBe('c');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => void readFrontmatter(`---\n${text}\n---\n`)),
    );
  });
});

describe('writing a field of the head', () => {
  it.each([
    [
      'takes the place of the one there is',
      '---\nname: a # id\nx: 1\n---\nBody\n',
      '---\nname: b # id\nx: 1\n---\nBody\n',
    ],
    ['keeps the quotes out of what needs none', '---\nname: "a"\n---\n', '---\nname: b\n---\n'],
    ['comes after the others', '---\nlicense: MIT\n---\nBody', '---\nlicense: MIT\nname: b\n---\nBody'],
    ['fills one that is empty', '---\nname:\nx: 1\n---\n', '---\nname: b\nx: 1\n---\n'],
    ['begins a head', 'Body\n', '---\nname: b\n---\n\nBody\n'],
    ['fills an empty head', '---\n---\nBody', '---\nname: b\n---\nBody'],
    [
      'keeps the ends of lines',
      '---\r\nname: a\r\nx: 1\r\n---\r\nBody',
      '---\r\nname: b\r\nx: 1\r\n---\r\nBody',
    ],
    [
      'replaces a text over several lines',
      '---\nname: >\n  a\n  c\nx: 1\n---\n',
      '---\nname: b\nx: 1\n---\n',
    ],
    ['changes a head that is no YAML', '---\nname: a: c\nx: 1\n---\n', '---\nname: b\nx: 1\n---\n'],
    ['keeps a byte order mark first', '\uFEFFBody', '\uFEFF---\nname: b\n---\n\nBody'],
  ])('%s', (_, before, after) => {
    expect(writeFrontmatter(before, 'name', 'b')).toBe(after);
  });

  it('is read again as what was written, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.constantFrom('', 'Body', '---\nname: a\n---\n'),
        (value, text) => {
          const written = value.trim();
          // Lone surrogates are no text, and YAML has no way to write them.
          fc.pre(written !== '' && written.isWellFormed() && !/[\p{Control}\uFFFE\uFFFF]/u.test(written));
          expect(readFrontmatter(writeFrontmatter(text, 'description', written))?.description).toBe(written);
        },
      ),
    );
  });
});
