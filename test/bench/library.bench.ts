import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import { agentFiles, dropped } from '#test/support/test-packages.ts';
import { fillLibrary, MANY, samplesIn } from './many-packages.ts';
import { atMost, median, type Measure } from './measure.ts';

const ROUNDS = 5;
const signal = new AbortController().signal;

/**
 * Importing a package of 500 files and 10 MB, with its checks, hashes and what changes; all fixtures in one
 * go; and opening a library of 1,000 packages up to its first list.
 */
export async function measureLibrary(root: string): Promise<Measure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-bench-'));
  try {
    const large = await largeArchive();
    const fixtures = await fixturesIn(join(root, 'test', 'fixtures', 'packages', 'integrations'));
    const imports: number[] = [];
    const all: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      imports.push(await timeImport(root, new Map([['large.afps', large]])));
      all.push(await timeImport(root, fixtures));
    }
    const opened = await timeOpening(root, join(folder, 'data'));
    return [
      atMost('library.import_500_files', median(imports.slice(1)), 'ms', 400),
      atMost('library.import_fixtures', median(all.slice(1)), 'ms', 2_000),
      atMost('library.open_1000', median(opened), 'ms', 150),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** 500 files of 20 KB that do not compress, as pictures and fonts do not. */
async function largeArchive(): Promise<Buffer> {
  const files = agentFiles('@bench/large');
  for (let index = 0; files.size < 500; index += 1) files.set(`assets/${index}.bin`, randomBytes(20 * 1024));
  return writeArchive(files);
}

async function fixturesIn(folder: string): Promise<Map<string, Buffer>> {
  const names = await readdir(folder);
  const archives = names.map(async (name): Promise<[string, Buffer]> => [
    name,
    await readFile(join(folder, name)),
  ]);
  return new Map(await Promise.all(archives));
}

/** Milliseconds from the bytes to the committed version, in a library of its own. */
async function timeImport(root: string, archives: ReadonlyMap<string, Buffer>): Promise<number> {
  await using libraries = await openLibraries({ samplesFolder: samplesIn(root) });
  const began = performance.now();
  await importAll(libraries, archives);
  return performance.now() - began;
}

async function importAll({ packages }: OpenLibraries, archives: ReadonlyMap<string, Buffer>): Promise<void> {
  const preview = await packages.previewImport(dropped(archives), signal);
  const decisions = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
  const { imported } = await packages.commitImport(preview.token, decisions);
  if (imported.length !== archives.size) throw new Error('Not every package was imported.');
}

/** Milliseconds from nothing open to the whole list, for as many rounds. */
async function timeOpening(root: string, dataDirectory: string): Promise<number[]> {
  const samplesFolder = samplesIn(root);
  await fillLibrary(root, dataDirectory);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    await using libraries = await openLibraries({ samplesFolder, dataDirectory });
    const { packages } = await libraries.packages.state();
    times.push(performance.now() - began);
    if (packages.length < MANY) throw new Error('Packages are missing.');
  }
  return times;
}
