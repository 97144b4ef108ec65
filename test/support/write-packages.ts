import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BlobStore } from '#main/library/store/blob-store.ts';
import { PackageIndex } from '#main/library/store/package-index.ts';
import { PackageStore } from '#main/library/store/package-store.ts';
import { openDatabase } from '#main/store/index.ts';

// Writes packages without end, until it is killed: small files, large ones, drafts over drafts, versions.
const [, , folder = '', mark = ''] = process.argv;
const database = openDatabase(folder);
const store = new PackageStore(new PackageIndex(database), new BlobStore(database, join(folder, 'packages')));

for (let number = 0; ; number += 1) {
  const name = `@${mark}/p${number % 5}`;
  const files = new Map(
    Array.from({ length: 40 }, (_, index): [string, Buffer] => [
      `f${index}`,
      randomBytes(index % 8 === 0 ? 70_000 : 500),
    ]),
  );
  const prepared = {
    name,
    type: 'skill' as const,
    files,
    summary: {
      displayName: name,
      description: '',
      keywords: [],
      version: `1.0.${number}`,
      errorCount: 0,
      publishErrorCount: 0,
      warningCount: 0,
      tools: [],
      inputFieldCount: 0,
    },
    dependencies: [],
    origin: { kind: 'written' as const },
  };
  await store.saveDraft(prepared);
  if (number % 3 === 0) await store.publish(prepared);
  if (number === 0) process.stdout.write('writing\n');
}
