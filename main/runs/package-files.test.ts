import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { MemoryPackage } from '#main/library/memory-package.ts';
import type { RunPackage } from '#main/library/library.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { filesOf, integrationFiles, skillFiles, type Files } from '#test/support/test-packages.ts';
import { packageFilesOf } from './package-files.ts';

function packageOf(kind: RunPackage['kind'], name: string, files: Files): RunPackage {
  const manifest = JSON.parse(String(files.get('manifest.json'))) as RunPackage['manifest'];
  return { kind, name, version: '1.0.0', manifest, source: new MemoryPackage('memory', name, files) };
}

const skill = (name: string, text?: string) =>
  packageOf('skill', name, new Map([...skillFiles(name), ...filesOf(text ? { 'SKILL.md': text } : {})]));

const planned = (id: string, connections: number): RunIntegration => ({
  id,
  displayName: id.slice(6),
  namespace: 'n',
  apis: [],
  connections: Array.from({ length: connections }, (_, index) => ({
    id: `c${index}`,
    authKey: 'key',
    label: 'Mine',
  })),
});

it('puts each skill whole into a folder of the name that its head gives', async () => {
  const files = new Map([...skillFiles('@test/tally'), ...filesOf({ 'scripts/run.py': 'print(1)' })]);
  const found = await packageFilesOf([packageOf('skill', '@test/tally', files)], []);
  expect(found.skills).toEqual(['.pi/skills/a-skill']);
  expect(found.files.map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
    ['.pi/skills/a-skill/SKILL.md', false],
    ['.pi/skills/a-skill/manifest.json', false],
    ['.pi/skills/a-skill/scripts/run.py', true],
  ]);
  expect(await text(await found.files.at(-1)!.open(AbortSignal.timeout(5_000)))).toBe('print(1)');
  expect(found.warnings).toEqual([]);
});

it.each(['../../outputs', 'Über', 'a'.repeat(65), ''])(
  'keeps a skill named %j where skills are',
  async (name) => {
    const head = `---\nname: ${JSON.stringify(name)}\ndescription: Says how.\n---\n`;
    const { skills } = await packageFilesOf([skill('@test/the-slug', head)], []);
    expect(skills).toEqual(['.pi/skills/the-slug']);
  },
);

it('keeps two skills of one name apart', async () => {
  const { skills } = await packageFilesOf([skill('@one/s'), skill('@two/s')], []);
  expect(skills).toEqual(['.pi/skills/a-skill', '.pi/skills/a-skill-2']);
});

it.each([
  ['no head', 'Just words.'],
  ['no description', '---\nname: a\n---\n'],
  ['a head that is no YAML', '---\nname: a\ndescription: x: [\n---\n'],
])('warns of a skill with %s, which no model is told of', async (_what, content) => {
  const { files, warnings } = await packageFilesOf([skill('@test/s', content)], []);
  expect(files).toHaveLength(2);
  expect(warnings).toMatchObject([{ code: 'skill_untold', detail: expect.stringContaining('@test/s') }]);
});

it('brings the notes of the integrations that may be called, and of no other', async () => {
  const notes = filesOf({ 'INTEGRATION.md': 'Ask for pages of 100.' });
  const packages = ['@test/mail', '@test/unused', '@test/plain'].map((id) =>
    packageOf('integration', id, new Map([...integrationFiles(id), ...(id === '@test/plain' ? [] : notes)])),
  );
  const plan = [planned('@test/mail', 1), planned('@test/unused', 0), planned('@test/plain', 1)];
  const found = await packageFilesOf(packages, plan);
  expect(found.notes).toEqual([{ service: 'mail', path: '.pi/integrations/mail.md' }]);
  expect(found.files.map(({ path }) => path)).toEqual(['.pi/integrations/mail.md']);
});
