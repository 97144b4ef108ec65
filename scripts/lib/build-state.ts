import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Root of the repository. */
export const root = join(import.meta.dirname, '..', '..');

/** Folders under `out/`: everything there is to build. */
export const ALL_TARGETS = ['programs', 'cli', 'browser', 'electron', 'renderer'] as const;
export type BuildTarget = (typeof ALL_TARGETS)[number];

/** Where a build goes, and whether the one there is was made of the present sources. Needs no bundler. */
export function buildState(target: BuildTarget): {
  readonly directory: string;
  /** File with the hash of the sources that were built last. */
  readonly stamp: string;
  readonly hash: string;
  readonly isCurrent: boolean;
} {
  const directory = join(root, 'out', target);
  const stamp = join(root, 'out', `.${target}.sources`);
  const hash = sourceHash(target);
  const isCurrent = existsSync(directory) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
  return { directory, stamp, hash, isCurrent };
}

/** Hash of everything a folder is made from, to skip a build that would change nothing. */
function sourceHash(target: BuildTarget): string {
  const hash = createHash('sha256');
  const sources = target === 'renderer' ? '{renderer,shared}/**/*' : '{main,shared}/**/*';
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const configuration = ['package-lock.json', 'vite.config.ts', 'scripts/lib/bundles.ts'];
  for (const file of [...files, ...configuration.map((name) => join(root, name))]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}
