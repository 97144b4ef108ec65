import { describe, expect, it } from 'vitest';
import { agentFiles } from '#test/support/test-packages.ts';
import { checkPackage } from './checked-package.ts';
import { MemoryPackage } from './memory-package.ts';
import { portabilityFault } from './package-path.ts';

describe('portabilityFault', () => {
  it.each([
    'con',
    'CON.txt',
    'scripts/nul/run.sh',
    'aux .md',
    'COM1',
    'lpt¹.txt',
    'CONIN$',
    'notes.',
    'notes /a',
    'a<b',
    'what?.md',
    'a|b',
    '"a"',
    '*.md',
  ])('tells that Windows cannot write %s', (path) => {
    expect(portabilityFault(path)).toBeDefined();
  });

  it.each([
    'console.ts',
    'com',
    'com10',
    'null',
    'auxiliary/x',
    '.env',
    'a b.md',
    'prompt.md',
    'a..b',
    "it's",
  ])('has nothing against %s', (path) => {
    expect(portabilityFault(path)).toBeUndefined();
  });
});

describe('a package with names that Windows cannot write', () => {
  it('is told of them, the first twenty, and may be used', async () => {
    const files = new Map(agentFiles('@you/a')).set('docs/con.txt', Buffer.from('x'));
    for (let index = 0; index < 30; index += 1) files.set(`a?${index}`, Buffer.from('x'));
    const source = new MemoryPackage('a.afps', 'a', files);
    const options = { direction: 'author', schemaChecker: undefined } as const;
    const { manifest, findings } = await checkPackage(source, await source.list(), options);
    expect(manifest).toBeDefined();
    expect(findings).toHaveLength(20);
    expect(
      findings.every(({ code, severity }) => code === 'file_name_unportable' && severity === 'warning'),
    ).toBe(true);
    for (const path of files.keys()) if (path.startsWith('a?')) files.delete(path);
    const [only] = (await checkPackage(source, await source.list(), options)).findings;
    expect(only).toMatchObject({ file: 'docs/con.txt', blocks: 'nothing' });
    expect(only?.message).toMatch(/Windows.*device/);
  });
});
