import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  readonly folder: string;
  readonly file: string;
  readonly format: 'esm' | 'cjs';
  readonly external?: readonly (string | RegExp)[];
}

/** dockerode's optional native parts; nothing of ours needs them. */
const NATIVE_OPTIONALS = ['cpu-features', /\.node$/];

const programs: readonly ProgramBundle[] = [
  {
    name: 'main',
    input: 'main/shell/electron/main.ts',
    folder: 'electron',
    file: 'main.js',
    format: 'esm',
    external: ['electron', ...NATIVE_OPTIONALS],
  },
  {
    name: 'preload',
    input: 'main/shell/electron/preload.ts',
    folder: 'electron',
    file: 'preload.cjs',
    format: 'cjs',
    external: ['electron'],
  },
  {
    name: 'browser',
    input: 'main/shell/browser/main.ts',
    folder: 'browser',
    file: 'main.js',
    format: 'esm',
    external: NATIVE_OPTIONALS,
  },
  {
    name: 'cli',
    input: 'main/shell/cli/main.ts',
    folder: 'cli',
    file: 'slipway.js',
    format: 'esm',
    external: NATIVE_OPTIONALS,
  },
  { name: 'sidecar', input: 'main/sidecar/main.ts', folder: 'programs', file: 'sidecar.js', format: 'esm' },
  // Pi stands beside the bundle in the image, as the bundle its own package ships.
  {
    name: 'sandbox',
    input: 'main/sandbox/main.ts',
    folder: 'programs',
    file: 'sandbox.js',
    format: 'esm',
    external: [/@earendil-works\/pi-coding-agent/],
  },
];

async function buildProgram(program: ProgramBundle): Promise<void> {
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
    dir: join(outputRoot, program.folder),
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

/** Hash of everything a bundle is made from, to skip a build that would change nothing. */
function sourceHash(): string {
  const hash = createHash('sha256');
  const files = globSync('{main,renderer,shared}/**/*', { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of [
    ...files,
    join(root, 'package-lock.json'),
    join(root, 'vite.config.ts'),
    import.meta.filename,
  ]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/** Builds every program and the renderer into `out/`; does nothing when they are up to date. */
export async function buildAll(
  options: { force?: boolean; log?: (line: string) => void } = {},
): Promise<void> {
  const stamp = join(outputRoot, '.sources');
  const hash = sourceHash();
  if (!options.force && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  options.log?.('Building …');
  rmSync(outputRoot, { recursive: true, force: true });
  for (const program of programs) await buildProgram(program);
  await buildRenderer({ configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  writeFileSync(stamp, hash);
}
