import { expect } from 'vitest';
import type { PackageService } from '#main/library/index.ts';
import { dropped } from './test-packages.ts';
import type { BundleFiles } from './server-bundles.ts';
import { buildZip } from './zip-builder.ts';

/** Imports a package as a file that was dropped: an archive of its files. */
export async function importPackage(
  packages: Pick<PackageService, 'previewImport' | 'commitImport'>,
  fileName: string,
  manifest: Record<string, unknown>,
  files: BundleFiles = new Map(),
): Promise<void> {
  const entries = [...files].map(([name, content]) => ({ name, content }));
  const bytes = buildZip([{ name: 'manifest.json', content: JSON.stringify(manifest) }, ...entries]);
  const preview = await packages.previewImport(dropped({ [fileName]: bytes }), AbortSignal.timeout(60_000));
  expect(preview.problems).toEqual([]);
  expect(preview.items).toHaveLength(1);
  const items = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
  expect((await packages.commitImport(preview.token, items)).problems).toEqual([]);
}
