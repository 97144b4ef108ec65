import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRecipe, type ImageSources } from './recipe.ts';

let folder: string;
let sources: ImageSources;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-recipe-'));
  sources = {
    image: join(folder, 'image'),
    pi: join(folder, 'node_modules', '@earendil-works', 'pi-coding-agent'),
    programs: join(folder, 'programs'),
  };
  const files = {
    'image/Dockerfile': 'FROM debian\n',
    'programs/sandbox.js': 'sandbox',
    'programs/sidecar.js': 'sidecar',
    'programs/runner.js': 'runner',
    'programs/sandbox-chunk-1.js': 'chunk',
    'programs/sandbox.js.map': 'a source map',
    'programs/node_modules/left/index.js': 'of an installed app',
    'node_modules/@earendil-works/pi-coding-agent/package.json': '{}',
    'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js': 'cli',
    'node_modules/@earendil-works/pi-coding-agent/dist/bundle/chunks/a.js': 'a',
    'node_modules/@earendil-works/pi-coding-agent/dist/index.js': 'not the bundle',
    'node_modules/jiti/package.json': '{}',
    'node_modules/jiti/lib/jiti.mjs': 'jiti',
    'node_modules/jiti/lib/jiti.d.mts': 'types',
    'node_modules/jiti/dist/jiti.cjs': 'jiti',
    'node_modules/@silvia-odwyer/photon-node/package.json': '{}',
    'node_modules/@silvia-odwyer/photon-node/photon_rs.js': 'photon',
    'node_modules/@silvia-odwyer/photon-node/photon_rs_bg.js': 'photon',
    'node_modules/@silvia-odwyer/photon-node/photon_rs_bg.wasm': 'wasm',
  };
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
});
afterEach(() => rm(folder, { recursive: true }));

async function context(from: ImageSources): Promise<Buffer> {
  return buffer((await readRecipe(from)).context());
}

describe('readRecipe', () => {
  it('puts in what runs and nothing else', async () => {
    const names: string[] = [];
    const modes = new Map<string, number>();
    for await (const entry of (await readRecipe(sources)).context().pipe(extract() as never) as ReturnType<
      typeof extract
    >) {
      names.push(entry.header.name);
      modes.set(entry.header.name, entry.header.mode);
      entry.resume();
    }
    expect(names).toEqual([
      'Dockerfile',
      'node_modules/@earendil-works/pi-coding-agent/dist/bundle/chunks/a.js',
      'node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js',
      'node_modules/@earendil-works/pi-coding-agent/package.json',
      'node_modules/@silvia-odwyer/photon-node/package.json',
      'node_modules/@silvia-odwyer/photon-node/photon_rs.js',
      'node_modules/@silvia-odwyer/photon-node/photon_rs_bg.js',
      'node_modules/@silvia-odwyer/photon-node/photon_rs_bg.wasm',
      'node_modules/jiti/dist/jiti.cjs',
      'node_modules/jiti/lib/jiti.mjs',
      'node_modules/jiti/package.json',
      'programs/runner.js',
      'programs/sandbox-chunk-1.js',
      'programs/sandbox.js',
      'programs/sidecar.js',
    ]);
    expect(modes.get('node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js')).toBe(0o755);
  });

  it('gives the same bytes and name wherever and whenever the files were written', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'slipway-recipe-'));
    try {
      await cp(folder, elsewhere, { recursive: true });
      await utimes(join(elsewhere, 'programs', 'sandbox.js'), 1, 1);
      const copied = {
        image: join(elsewhere, 'image'),
        pi: join(elsewhere, 'node_modules', '@earendil-works', 'pi-coding-agent'),
        programs: join(elsewhere, 'programs'),
      };
      const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      expect(digest(await context(copied))).toBe(digest(await context(sources)));
      expect((await readRecipe(copied)).tag).toBe((await readRecipe(sources)).tag);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it.each([
    'image/Dockerfile',
    'programs/sidecar.js',
    'programs/sandbox-chunk-1.js',
    'node_modules/jiti/lib/jiti.mjs',
  ])('gives another name when %s changes', async (path) => {
    const before = (await readRecipe(sources)).tag;
    await writeFile(join(folder, path), 'changed');
    const { tag } = await readRecipe(sources);
    expect(tag).not.toBe(before);
    expect(tag).toMatch(/^slipway-sandbox:[0-9a-f]{16}$/);
  });

  it("finds a part in Pi's own node_modules before the one beside it", async () => {
    const nested = join(sources.pi, 'node_modules', 'jiti');
    await mkdir(join(nested, 'lib'), { recursive: true });
    await mkdir(join(nested, 'dist'));
    await writeFile(join(nested, 'package.json'), '{"version":"nested"}');
    expect((await context(sources)).includes('nested')).toBe(true);
  });

  it.each(['programs/sandbox.js', 'programs', 'image/Dockerfile', 'node_modules/@silvia-odwyer'])(
    'names %s when it is missing, and what to do',
    async (path) => {
      await rm(join(folder, path), { recursive: true });
      await expect(readRecipe(sources)).rejects.toMatchObject({
        problem: {
          code: 'image_sources_missing',
          action: expect.stringContaining('npm run build') as string,
        },
      });
    },
  );

  it('ends the context with an error when a file goes away meanwhile', async () => {
    const recipe = await readRecipe(sources);
    await rm(join(folder, 'programs', 'sidecar.js'));
    await expect(buffer(Readable.from(recipe.context()))).rejects.toThrow(/ENOENT/);
  });
});
