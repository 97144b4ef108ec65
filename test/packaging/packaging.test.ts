import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { developmentResourcePaths, packagedResourcePaths } from '#main/app/resource-paths.ts';
import { readRecipe } from '#main/engines/image/recipe.ts';
import { Catalogue } from '#main/library/catalogue/index.ts';
import { openLibraries } from '#test/support/open-libraries.ts';
import { root } from '../../scripts/lib/build-state.ts';
import { writeStubElectron } from './stub-electron.ts';

const require = createRequire(import.meta.url);
const electronVersion = (require('electron/package.json') as { version: string }).version;

interface Validator {
  validateConfiguration(configuration: unknown, logger: unknown): Promise<void>;
}

function validate(configuration: unknown): Promise<void> {
  const builder = createRequire(require.resolve('electron-builder/package.json'));
  const validator = builder('app-builder-lib/out/util/config/config.js') as Validator;
  const { DebugLogger } = builder('builder-util') as { DebugLogger: new (enabled: boolean) => unknown };
  return validator.validateConfiguration(configuration, new DebugLogger(false));
}

function readConfiguration(): Record<string, unknown> {
  return parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as Record<string, unknown>;
}

test('the configuration holds against the schema of electron-builder, which does say what it does not know', async () => {
  await validate(readConfiguration());
  await expect(validate({ ...readConfiguration(), asra: true })).rejects.toThrow(/asra/);
});

describe('an unpacked app over a stub of Electron', () => {
  let folder: string;
  let resources: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-package-'));
    const electronDist = join(folder, 'electron');
    writeStubElectron(electronDist, electronVersion);
    const built = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules', 'electron-builder', 'cli.js'),
        '--linux',
        'dir',
        '--publish',
        'never',
        `-c.electronDist=${electronDist}`,
        `-c.directories.output=${join(folder, 'dist')}`,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    if (built.status !== 0) throw new Error(`${built.stdout}\n${built.stderr}`);
    resources = join(folder, 'dist', 'linux-unpacked', 'resources');
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('holds the two bundles and the page, and neither packages nor sources', () => {
    const builder = createRequire(require.resolve('electron-builder/package.json'));
    const library = createRequire(builder.resolve('app-builder-lib/package.json'));
    const asar = library('@electron/asar') as { listPackage(path: string): string[] };
    const names = asar.listPackage(join(resources, 'app.asar'));
    expect(names).toEqual(
      expect.arrayContaining([
        '/package.json',
        '/out/electron/main.js',
        '/out/electron/preload.cjs',
        '/out/renderer/index.html',
      ]),
    );
    expect(
      names.filter((name) => /node_modules|\.map$|\.ts$|^\/(main|shared|test|renderer)/.test(name)),
    ).toEqual([]);
  });

  test('makes the very image that a checkout makes', async () => {
    const packaged = packagedResourcePaths(resources, join(resources, 'app.asar'));
    const ours = await readRecipe(packaged);
    expect(ours.tag).toBe((await readRecipe(developmentResourcePaths(root))).tag);
  });

  test('brings the sample agents', async () => {
    const { samples } = packagedResourcePaths(resources, '');
    await using libraries = await openLibraries({ samplesFolder: samples });
    const names = (await libraries.agents.list()).map(({ id, errorCount }) => `${id} ${errorCount}`);
    expect(names).toEqual(['@slipway/csv-report 0', '@slipway/fix-script 0', '@slipway/gather 0']);
  });

  test('brings the catalogue of integrations', async () => {
    const packaged = await new Catalogue(packagedResourcePaths(resources, '').catalogue).list();
    expect(packaged).toEqual(await new Catalogue(developmentResourcePaths(root).catalogue).list());
    expect(packaged.length).toBeGreaterThan(40);
  });

  test('has every door of Electron shut that its fuses can shut', async () => {
    const wire = await getCurrentFuseWire(join(folder, 'dist', 'linux-unpacked', 'slipway'));
    const on = Object.values(FuseV1Options).filter(
      (option): option is FuseV1Options =>
        typeof option === 'number' && (wire as Record<number, FuseState>)[option] === FuseState.ENABLE,
    );
    expect(on.map((option) => FuseV1Options[option])).toEqual([
      'EnableCookieEncryption',
      'EnableEmbeddedAsarIntegrityValidation',
      'OnlyLoadAppFromAsar',
      'WasmTrapHandlers',
    ]);
  });
});
