import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from './skill-frontmatter.ts';

describe('the head of a SKILL.md', () => {
  it.each([
    ['---\nname: a\ndescription: b\n---\n# A', 'a', 'b'],
    ['---\r\nname: a\r\ndescription: "b: c"\r\n---\r\n', 'a', 'b: c'],
    ['\uFEFF---\nname: a\n---', 'a', undefined],
    ['---\nname: a\ndescription: >\n  two\n  lines\n---\n', 'a', 'two lines'],
    ['---\nname: 5\n---\n', undefined, undefined],
    ['---\n---\n', undefined, undefined],
  ])('%j is read as YAML', (text, name, description) => {
    expect(readFrontmatter(text)).toEqual({ name, description, fault: undefined });
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
