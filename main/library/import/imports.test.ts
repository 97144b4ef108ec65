import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import { agentFiles, dropped, filesOf, skillFiles, type Files } from '#test/support/test-packages.ts';
import { buildZip } from '#test/support/zip-builder.ts';
import { readArchive } from '../archive/read-archive.ts';
import { writeBundle } from '../archive/bundle.ts';
import { writeArchive } from '../archive/write-archive.ts';

const fixtures = new URL('../../../test/fixtures/packages/', import.meta.url);
const signal = new AbortController().signal;

let samplesFolder: string;
let libraries: OpenLibraries;

beforeEach(async () => {
  samplesFolder = await mkdtemp(join(tmpdir(), 'slipway-samples-'));
  libraries = await openLibraries({ samplesFolder });
});
afterEach(async () => {
  await libraries[Symbol.asyncDispose]();
  await rm(samplesFolder, { recursive: true, force: true });
});

async function archivesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(new URL(folder, fixtures))).sort();
  const archives = names.map(async (name): Promise<[string, Buffer]> => [
    name,
    await readFile(new URL(`${folder}/${name}`, fixtures)),
  ]);
  return new Map(await Promise.all(archives));
}

describe('packages published by others', () => {
  it('are imported in one go with nothing above a warning, and come out again as they came', async () => {
    const archives = await archivesIn('integrations');
    const preview = await libraries.packages.previewImport(dropped(archives), signal);
    expect(preview.problems).toEqual([]);
    expect(preview.items.map(({ state, choices }) => `${state} ${choices[0]}`)).toEqual(
      Array.from({ length: archives.size }, () => 'new version'),
    );
    const errors = preview.items.flatMap(({ findings }) =>
      findings.filter(({ severity }) => severity === 'error'),
    );
    expect(errors).toEqual([]);
    const decisions = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
    const { imported } = await libraries.packages.commitImport(preview.token, decisions);
    expect(imported).toHaveLength(archives.size);
    for (const [index, bytes] of [...archives.values()].entries()) {
      const { name } = preview.items[index] ?? { name: '' };
      const made = await libraries.packages.makeExport({ name, format: 'afps', sign: false });
      expect((await readArchive(made.bytes)).files).toEqual((await readArchive(bytes)).files);
    }
  });

  it('of AFPS 1.x come as drafts of today, each with a word of what it was', async () => {
    const preview = await libraries.packages.previewImport(dropped(await archivesIn('legacy')), signal);
    expect(preview.problems).toEqual([]);
    for (const { isConverted, type, choices, findings, name } of preview.items) {
      expect([name, isConverted, type, choices[0]]).toEqual([name, true, 'integration', 'draft']);
      expect(findings[0]).toMatchObject({ code: 'dialect_legacy', severity: 'warning' });
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
    const decisions = preview.items.map(({ id }) => ({ id, as: 'draft' as const }));
    const { imported } = await libraries.packages.commitImport(preview.token, decisions);
    expect(imported).toHaveLength(10);
    const { manifestText } = await libraries.packages.detail('@appstrate/canva');
    expect(JSON.parse(manifestText)).toMatchObject({ type: 'integration', schema_version: '0.2' });
  });
});

const agent = agentFiles('@you/a');
const bare = (files: Files, ...paths: string[]): Files =>
  new Map([...files].filter(([path]) => !paths.includes(path)));
const bundleOf = async (files: Files): Promise<Buffer> =>
  (await writeBundle({ root: '@you/a@1.0.0', packages: new Map([['@you/a@1.0.0', files]]) })).bytes;

/** Rows Z1 to Z10 of the must-reject list: what comes, and the code that refuses it. */
const rows: readonly (readonly [string, string, () => Promise<Buffer>])[] = [
  ['Z1', 'archive_invalid', () => Promise.resolve(Buffer.from('%PDF-1.7'))],
  [
    'Z2',
    'archive_bomb',
    () => Promise.resolve(buildZip([{ name: 'a', stored: Buffer.alloc(20_000, 1), size: 20_000_000 }])),
  ],
  [
    'Z3',
    'archive_path_unsafe',
    () => Promise.resolve(buildZip([{ name: '../manifest.json', content: '{}' }])),
  ],
  ['Z3', 'archive_path_unsafe', () => Promise.resolve(buildZip([{ name: '/manifest.json', content: '{}' }]))],
  [
    'Z3',
    'archive_path_unsafe',
    () => Promise.resolve(buildZip([{ name: 'a\\manifest.json', content: '{}' }])),
  ],
  ['Z3', 'archive_path_unsafe', () => Promise.resolve(buildZip([{ name: 'a\0b', content: '{}' }]))],
  ['Z4', 'import_nothing_found', () => writeArchive(filesOf({ 'notes.txt': 'x' }))],
  ['Z5', 'json_syntax', () => writeArchive(new Map(agent).set('manifest.json', Buffer.from('{ "name": ')))],
  ['Z6', 'prompt_missing', () => writeArchive(bare(agent, 'prompt.md'))],
  ['Z6', 'skill_file_missing', () => writeArchive(bare(skillFiles('@you/s'), 'SKILL.md'))],
  ['Z7', 'bundle_integrity_mismatch', async () => withChangedFile(await bundleOf(agent))],
  ['Z7', 'bundle_json_invalid', () => bundleOf(agentFiles('@you/b'))],
  ['Z7', 'bundle_json_invalid', () => bundleOf(agentFiles('@you/a', { version: '1.0.1' }))],
  ['Z8', 'signature_required', () => bundleOf(agent)],
  ['Z9', 'type_mismatch', () => writeArchive(skillFiles('@you/installed'))],
  ['Z10', 'version_differs', () => writeArchive(agentFiles('@you/installed', { description: 'other' }))],
];

/** The bundle with another prompt, as if it had been so from the beginning. */
async function withChangedFile(bundle: Buffer): Promise<Buffer> {
  const { files } = await readArchive(bundle);
  const path = [...files.keys()].find((name) => name.endsWith('prompt.md')) ?? '';
  return writeArchive(
    new Map(files)
      .set(path, Buffer.from('Do evil.'))
      .set(path.replace('prompt.md', 'RECORD'), Buffer.from('')),
  );
}

describe('what must not come in', () => {
  it.each(rows)('%s is refused by %s', async (row, code, make) => {
    await libraries.packages.save(
      '@you/installed',
      [...agentFiles('@you/installed')].map(([path, content]) => ({ path, content })),
      { checkOnly: false },
    );
    await libraries.packages.publish('@you/installed');
    if (row === 'Z8') libraries.packages.setSigning({ policy: 'required' });
    const preview = await libraries.packages.previewImport(dropped({ 'x.afps': await make() }), signal);
    const said = [
      ...preview.problems.map((problem) => problem.code),
      ...preview.items.flatMap(({ state, findings }) => [state, ...findings.map((finding) => finding.code)]),
    ];
    expect(said).toContain(code);
    const everything = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
    const { imported } = await libraries.packages.commitImport(preview.token, everything);
    expect(imported).toEqual([]);
  });

  it('has a case for every row about archives', () => {
    const wanted = Array.from({ length: 10 }, (_, index) => `Z${index + 1}`);
    const had = new Set(rows.map(([row]) => row));
    expect(wanted.filter((row) => !had.has(row))).toEqual([]);
  });
});
