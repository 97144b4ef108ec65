import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import { skillFiles } from '#test/support/test-packages.ts';
import { BlobStore } from './blob-store.ts';
import { PackageIndex } from './package-index.ts';
import { PackageStore, integrityOfFiles } from './package-store.ts';

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-blobs-'));
  database = openDatabase(folder);
});
afterEach(async () => {
  database[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

function blobsIn(): BlobStore {
  return new BlobStore(database, join(folder, 'packages'));
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(folder, 'packages'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const LARGE = 64 * 1024 + 1;

describe('content by its hash', () => {
  it('comes back byte for byte, small or large, and is kept once', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .record({ byte: fc.nat(255), size: fc.integer({ min: LARGE - 2, max: LARGE + 2 }) })
        .map(({ byte, size }) => new Uint8Array(size).fill(byte)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(content, { maxLength: 6 }), async (contents) => {
        const blobs = blobsIn();
        const references = await blobs.put(contents);
        for (const [index, reference] of references.entries()) {
          expect(await blobs.get(reference)).toEqual(Buffer.from(contents[index] ?? []));
        }
      }),
      { numRuns: 25 },
    );
    const before = await filesOnDisk();
    await blobsIn().put([new Uint8Array(LARGE).fill(1), new Uint8Array(LARGE).fill(1)]);
    await blobsIn().put([new Uint8Array(LARGE).fill(1)]);
    expect((await filesOnDisk()).length - before.length).toBeLessThanOrEqual(1);
  });

  it('that was changed behind our back is refused, and mended by keeping it again', async () => {
    const blobs = blobsIn();
    const content = Buffer.alloc(LARGE, 3);
    const [large] = await blobs.put([content]);
    const [small] = await blobs.put([Buffer.from('small')]);
    if (large === undefined || small === undefined) throw new Error('nothing kept');
    const [path = ''] = await filesOnDisk();
    const changed = await readFile(path);
    changed[100] = 4;
    await writeFile(path, changed);
    database.run('UPDATE package_blob SET bytes = ? WHERE digest = ?', Buffer.from('smell'), small.digest);
    await expect(blobs.get(large)).rejects.toMatchObject({ problem: { code: 'package_damaged' } });
    await expect(blobs.get(small)).rejects.toMatchObject({ problem: { code: 'package_damaged' } });
    await blobs.put([content, Buffer.from('small')]);
    expect(await blobs.get(large)).toEqual(content);
    expect(String(await blobs.get(small))).toBe('small');
  });

  it('is cleared a day after nothing refers to it any more, and not before', async () => {
    const blobs = blobsIn();
    const store = new PackageStore(new PackageIndex(database), blobs);
    const files = skillFiles('@you/a').set('used.bin', Buffer.alloc(LARGE, 1));
    await store.saveDraft(preparedOf('@you/a', files));
    const [unused] = await blobs.put([Buffer.alloc(LARGE, 2)]);
    const [small] = await blobs.put([Buffer.from('unused')]);
    if (unused === undefined || small === undefined) throw new Error('nothing kept');
    await blobs.collectGarbage();
    await blobs.get(unused);
    const later = Date.now() + 25 * 60 * 60 * 1000;
    await blobs.collectGarbage(later);
    await expect(blobs.get(unused)).rejects.toMatchObject({ problem: { code: 'package_damaged' } });
    await expect(blobs.get(small)).rejects.toMatchObject({ problem: { code: 'package_damaged' } });
    expect([...(await store.contents(store.draft('@you/a'))).keys()].sort()).toEqual(
      [...files.keys()].sort(),
    );
  });

  it('touches what is kept again, so that it is not cleared before it is referred to', async () => {
    const blobs = blobsIn();
    const content = Buffer.alloc(LARGE, 5);
    const [reference] = await blobs.put([content]);
    const [path = ''] = await filesOnDisk();
    const old = new Date(Date.now() - 48 * 60 * 60 * 1000);
    await utimes(path, old, old);
    await blobs.put([content]);
    await blobs.collectGarbage();
    if (reference === undefined) throw new Error('nothing kept');
    expect(await blobs.get(reference)).toEqual(content);
  });
});

function preparedOf(name: string, files: Map<string, Buffer>) {
  return {
    name,
    type: 'skill' as const,
    files,
    summary: {
      displayName: name,
      description: '',
      keywords: [],
      version: '1.0.0',
      errorCount: 0,
      publishErrorCount: 0,
      warningCount: 0,
      tools: [],
      inputFieldCount: 0,
    },
    dependencies: [],
    origin: { kind: 'written' as const },
  };
}

describe('a kill in the middle of a write', () => {
  it('leaves every package whole: what is listed is there with all its files', async () => {
    const script = new URL('../../../test/support/write-packages.ts', import.meta.url).pathname;
    for (let round = 0; round < 3; round += 1) {
      const writer = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', script, folder, `r${round}`],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      await once(writer.stdout, 'data');
      await delay(40 + round * 45);
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    }
    const store = new PackageStore(new PackageIndex(database), blobsIn());
    const packages = store.list();
    expect(packages.length).toBeGreaterThan(0);
    for (const { draft, versions } of packages) {
      for (const snapshot of [...(draft ? [draft] : []), ...versions]) {
        const contents = await store.contents(snapshot);
        expect(contents.size).toBe(40);
        expect(integrityOfFiles(contents)).toBe(snapshot.integrity);
      }
    }
  });
});
