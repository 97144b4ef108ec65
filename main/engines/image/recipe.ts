import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { ProblemError } from '#shared/problem.ts';

/** Where the parts of the image are on this machine: in the repository, or in an installed app. */
export interface ImageSources {
  /** Folder with the Dockerfile. */
  readonly image: string;
  /** Package folder of `@earendil-works/pi-coding-agent`. */
  readonly pi: string;
  /** Folder with the bundles of the programs: `sandbox.js`, `sidecar.js`, `runner.js` and their chunks. */
  readonly programs: string;
}

/** An image as it would be built: its name follows from everything that goes into it. */
export interface ImageRecipe {
  /** Name under which every version of the image stands, such as `slipway-sandbox`. */
  readonly repository: string;
  /** `<repository>:<hash>`. */
  readonly tag: string;
  /** The Dockerfile's text. */
  readonly dockerfile: string;
  /** The build context as a tar stream: the same bytes for the same tag. */
  context(): Readable;
}

/** Name under which every version of the image stands. */
const IMAGE_REPOSITORY = 'slipway-sandbox';

const PI = '@earendil-works/pi-coding-agent';

/**
 * What Pi's own bundle needs at run time; the rest of its package is for development. `jiti` loads
 * extensions, `photon-node` scales images.
 */
export const PI_PARTS: readonly { readonly name: string; readonly paths: readonly string[] }[] = [
  { name: PI, paths: ['package.json', 'dist/bundle'] },
  { name: 'jiti', paths: ['package.json', 'LICENSE', 'dist', 'lib'] },
  {
    name: '@silvia-odwyer/photon-node',
    paths: ['package.json', 'LICENSE.md', 'photon_rs.js', 'photon_rs_bg.js', 'photon_rs_bg.wasm'],
  },
];

interface ContextFile {
  /** Path in the build context, with forward slashes. */
  readonly path: string;
  readonly source: string;
  readonly size: number;
  readonly mode: number;
}

/**
 * Reads what the image is made from and names it.
 * @throws ProblemError `image_sources_missing` where the programs are not built or Pi is not installed.
 */
export async function readRecipe(sources: ImageSources, repository = IMAGE_REPOSITORY): Promise<ImageRecipe> {
  const dockerfile = join(sources.image, 'Dockerfile');
  const files = (
    await Promise.all([
      describe('Dockerfile', dockerfile),
      collectPrograms(sources.programs),
      ...PI_PARTS.map((part) => collectPackage(sources.pi, part)),
    ])
  )
    .flat()
    // By code unit, not by language: the order must be the same on every machine.
    .toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const file of files) {
    const digest = createHash('sha256');
    await pipeline(createReadStream(file.source), digest);
    hash.update(`${file.path}\0${file.mode}\0${digest.digest('hex')}\n`);
  }
  return {
    repository,
    tag: `${repository}:${hash.digest('hex').slice(0, 16)}`,
    dockerfile: await readFile(dockerfile, 'utf8'),
    context: () => packContext(files),
  };
}

async function describe(path: string, source: string): Promise<ContextFile[]> {
  const { size } = await stat(source).catch((error: unknown) => {
    throw sourceMissing(source, error);
  });
  const executable = path.endsWith('/cli.js');
  return [{ path, source, size, mode: executable ? 0o755 : 0o644 }];
}

/** The bundles alone: no source maps, and not the packages that stand beside them in an installed app. */
async function collectPrograms(folder: string): Promise<ContextFile[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw sourceMissing(folder, error);
  });
  for (const needed of ['sandbox.js', 'sidecar.js', 'runner.js'])
    if (!names.includes(needed)) throw sourceMissing(join(folder, needed));
  const bundles = names.filter((name) => /\.(js|json|wasm)$/.test(name));
  return (await Promise.all(bundles.map((name) => describe(`programs/${name}`, join(folder, name))))).flat();
}

async function collectPackage(pi: string, part: (typeof PI_PARTS)[number]): Promise<ContextFile[]> {
  const folder = await findPackage(pi, part.name);
  const collected = await Promise.all(
    part.paths.map((path) => collect(`node_modules/${part.name}/${path}`, join(folder, path))),
  );
  return collected.flat();
}

async function collect(path: string, source: string): Promise<ContextFile[]> {
  const entry = await stat(source).catch(() => undefined);
  if (!entry) {
    if (/LICENSE/.test(path)) return [];
    throw sourceMissing(source);
  }
  if (!entry.isDirectory()) return /\.d\.[cm]?ts$|\.map$/.test(path) ? [] : describe(path, source);
  const names = await readdir(source);
  return (await Promise.all(names.map((name) => collect(`${path}/${name}`, join(source, name))))).flat();
}

/**
 * Folder of one of Pi's parts as Pi itself would resolve it: in its own node_modules, else beside it.
 * @throws ProblemError `image_sources_missing`.
 */
export async function findPackage(pi: string, name: string): Promise<string> {
  if (name === PI) return pi;
  const places = [join(pi, 'node_modules', name), join(dirname(dirname(pi)), name)];
  for (const place of places) {
    const found = await stat(join(place, 'package.json')).catch(() => undefined);
    if (found) return place;
  }
  throw sourceMissing(places[1] ?? name);
}

function sourceMissing(path: string, cause?: unknown): ProblemError {
  return new ProblemError(
    {
      code: 'image_sources_missing',
      title: 'A part of the sandbox image is missing',
      detail: `${path} is not there.`,
      action: 'In a checkout, run "npm run build". In an installed app, install it again.',
    },
    { cause },
  );
}

function packContext(files: readonly ContextFile[]): Readable {
  const archive = pack();
  addAll(archive, files).catch((error: unknown) => {
    archive.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  return Readable.from(archive);
}

async function addAll(archive: Pack, files: readonly ContextFile[]): Promise<void> {
  for (const { path, source, size, mode } of files) {
    const entry = archive.entry({ name: path, size, mode, mtime: new Date(0), uid: 0, gid: 0 });
    await pipeline(createReadStream(source), entry);
  }
  archive.finalize();
}
