import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { rolldown, type InputOptions, type OutputOptions } from 'rolldown';
import { build as buildRenderer } from 'vite';

/** Root of the repository. */
export const root = join(import.meta.dirname, '..', '..');
const outputRoot = join(root, 'out');

const builtins = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)];

interface ProgramBundle {
  readonly name: string;
  readonly input: string;
  readonly file: string;
  readonly format: 'esm' | 'cjs';
  readonly external?: readonly (string | RegExp)[];
}

/** dockerode's optional native parts; nothing of ours needs them. */
const NATIVE_OPTIONALS = ['cpu-features', /\.node$/];

/** Folders under `out/` and the programs in each; a folder is built whole or not at all. */
const folders = {
  electron: [
    {
      name: 'main',
      input: 'main/shell/electron/main.ts',
      file: 'main.js',
      format: 'esm',
      external: ['electron', ...NATIVE_OPTIONALS],
    },
    {
      name: 'preload',
      input: 'main/shell/electron/preload.ts',
      file: 'preload.cjs',
      format: 'cjs',
      external: ['electron'],
    },
  ],
  browser: [
    {
      name: 'browser',
      input: 'main/shell/browser/main.ts',
      file: 'main.js',
      format: 'esm',
      external: NATIVE_OPTIONALS,
    },
  ],
  cli: [
    {
      name: 'cli',
      input: 'main/shell/cli/main.ts',
      file: 'slipway.js',
      format: 'esm',
      external: NATIVE_OPTIONALS,
    },
  ],
  programs: [
    { name: 'sidecar', input: 'main/sidecar/main.ts', file: 'sidecar.js', format: 'esm' },
    // Pi stands beside the bundle in the image, as the bundle its own package ships.
    {
      name: 'sandbox',
      input: 'main/sandbox/main.ts',
      file: 'sandbox.js',
      format: 'esm',
      external: [/@earendil-works\/pi-coding-agent/],
    },
  ],
} as const satisfies Record<string, readonly ProgramBundle[]>;

/** A folder under `out/`. */
export type BuildTarget = keyof typeof folders | 'renderer';

/** Everything there is to build. */
export const ALL_TARGETS: readonly BuildTarget[] = ['programs', 'cli', 'browser', 'electron', 'renderer'];

async function buildProgram(program: ProgramBundle, directory: string): Promise<void> {
  const input: InputOptions = {
    input: join(root, program.input),
    cwd: root,
    platform: 'node',
    // Some packages' `main` is a UMD file, whose inner imports a bundler cannot see.
    resolve: { mainFields: ['module', 'main'] },
    external: [...builtins, ...(program.external ?? [])],
    logLevel: 'warn',
    onLog(level, log, handler) {
      if (log.code === 'EVAL' || log.code === 'CIRCULAR_DEPENDENCY') return;
      handler(level, log);
    },
  };
  const output: OutputOptions = {
    dir: directory,
    format: program.format,
    entryFileNames: program.file,
    chunkFileNames: `${program.name}-[name]-[hash].js`,
    sourcemap: true,
    ...(program.format === 'esm' && {
      // Bundled CommonJS dependencies still ask for these.
      banner:
        "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);\nconst __filename = import.meta.filename;\nconst __dirname = import.meta.dirname;",
    }),
  };
  const bundle = await rolldown(input);
  await bundle.write(output);
  await bundle.close();
}

/** Hash of everything a folder is made from, to skip a build that would change nothing. */
function sourceHash(target: BuildTarget): string {
  const hash = createHash('sha256');
  const sources = target === 'renderer' ? '{renderer,shared}/**/*' : '{main,shared}/**/*';
  const files = globSync(sources, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const configuration = [join(root, 'package-lock.json'), join(root, 'vite.config.ts'), import.meta.filename];
  for (const file of [...files, ...configuration]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Builds what is out of date into `out/`. A folder is replaced only when its build has succeeded, so that a
 * fault in the sources leaves the last good build where it is.
 */
export async function buildAll(
  options: { targets?: readonly BuildTarget[]; force?: boolean; log?: (line: string) => void } = {},
): Promise<void> {
  for (const target of options.targets ?? ALL_TARGETS) {
    const directory = join(outputRoot, target);
    const stamp = join(outputRoot, `.${target}.sources`);
    const hash = sourceHash(target);
    if (
      !options.force &&
      existsSync(directory) &&
      existsSync(stamp) &&
      readFileSync(stamp, 'utf8') === hash
    ) {
      continue;
    }
    options.log?.(`Building ${target} …`);
    const building = join(outputRoot, `.${target}-${process.pid}`);
    try {
      if (target === 'renderer') {
        await buildRenderer({
          configFile: join(root, 'vite.config.ts'),
          logLevel: 'warn',
          build: { outDir: building },
        });
      } else {
        for (const program of folders[target]) await buildProgram(program, building);
      }
      rmSync(directory, { recursive: true, force: true });
      renameSync(building, directory);
      writeFileSync(stamp, hash);
    } finally {
      rmSync(building, { recursive: true, force: true });
    }
  }
}
