import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { root } from './engine-harness.ts';

/** Files of a bundle by path. */
export type BundleFiles = Map<string, Buffer>;

interface NpmManifest {
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Lays an npm package and all it needs out as the author of an MCP bundle does, without what only builds need. */
export async function packNpmServer(name: string): Promise<{ files: BundleFiles; entryPoint: string }> {
  const files: BundleFiles = new Map();
  const taken = new Set<string>();
  const take = async (wanted: string, from: string): Promise<string> => {
    const folder = findPackage(wanted, from);
    const place = relative(root, folder);
    if (taken.has(place)) return place;
    taken.add(place);
    for (const path of await filesIn(folder))
      files.set(`${place}/${path}`, await readFile(join(folder, path)));
    for (const dependency of Object.keys(manifestOf(folder).dependencies ?? {}))
      await take(dependency, folder);
    return place;
  };
  const place = await take(name, root);
  const [program = ''] = Object.values(manifestOf(join(root, place)).bin ?? {});
  return { files, entryPoint: `${place}/${program}` };
}

/** A bundle of one program of `test/fixtures/servers`. */
export async function packOwnServer(program: string): Promise<{ files: BundleFiles; entryPoint: string }> {
  const content = await readFile(join(root, 'test', 'fixtures', 'servers', program));
  return { files: new Map([[`server/${program}`, content]]), entryPoint: `server/${program}` };
}

/** Files of the package, without types, maps, sources and packages of its own. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter(
      (path) => !/(^|\/)node_modules\/|\.map$|\.[cm]?ts$|\.md$/.test(path) || path.startsWith('dist/docs'),
    );
}

/** Folder of a package as Node finds it, also where its `exports` hide its manifest. */
function findPackage(name: string, from: string): string {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    if (existsSync(join(place, 'package.json'))) return place;
  }
  throw new Error(`There is no ${name} for ${from}.`);
}

function manifestOf(folder: string): NpmManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as NpmManifest;
}
