import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { rolldown, type InputOptions, type OutputOptions, type Plugin } from 'rolldown';
import { build as buildRenderer } from 'vite';
import { ALL_TARGETS, buildState, root, type BuildTarget } from './build-state.ts';

const builtins = [...builtinModules, ...builtinModules.map((name) => `node:${name}`)];

interface ProgramBundle {
  readonly name: string;
  readonly input: string;
  readonly file: string;
  readonly format: 'esm' | 'cjs';
  readonly external?: readonly (string | RegExp)[];
  /** Modules that the program never calls, by the end of their path, with what stands in for each. */
  readonly unused?: Readonly<Record<string, string>>;
}

/** The MCP client loads these in any case, and each run would pay for them in time and memory. */
const UNUSED_BY_MCP_CLIENT = {
  '@modelcontextprotocol/sdk/dist/esm/validation/ajv-provider.js':
    "export class AjvJsonSchemaValidator { getValidator() { throw new Error('Not in this bundle.'); } }",
  '@modelcontextprotocol/sdk/dist/esm/client/auth.js': `
    const absent = () => { throw new Error('Not in this bundle.'); };
    export { absent as auth, absent as extractWWWAuthenticateParams };
    export class UnauthorizedError extends Error {}`,
};

const ABSENT = "module.exports = () => { throw new Error('Not in this bundle.'); };";
/** Ways of the Docker client that nothing of ours goes, with gRPC, protobuf and ssh behind them. */
const UNUSED_BY_DOCKER_CLIENT = {
  'dockerode/lib/session.js': ABSENT,
  'dockerode/lib/buildkit.js': ABSENT,
  'docker-modem/lib/ssh.js': ABSENT,
};

/** Folders under `out/` and the programs in each; a folder is built whole or not at all. */
const folders = {
  electron: [
    {
      name: 'main',
      input: 'main/shell/electron/main.ts',
      file: 'main.js',
      format: 'esm',
      external: ['electron'],
      unused: UNUSED_BY_DOCKER_CLIENT,
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
      unused: UNUSED_BY_DOCKER_CLIENT,
    },
  ],
  cli: [
    {
      name: 'cli',
      input: 'main/shell/cli/main.ts',
      file: 'slipway.js',
      format: 'esm',
      unused: UNUSED_BY_DOCKER_CLIENT,
    },
  ],
  programs: [
    { name: 'sidecar', input: 'main/sidecar/main.ts', file: 'sidecar.js', format: 'esm' },
    { name: 'runner', input: 'main/runner/main.ts', file: 'runner.js', format: 'esm' },
    // Pi stands beside the bundle in the image, as the bundle its own package ships.
    {
      name: 'sandbox',
      input: 'main/sandbox/main.ts',
      file: 'sandbox.js',
      format: 'esm',
      external: [/@earendil-works\/pi-coding-agent/],
      unused: UNUSED_BY_MCP_CLIENT,
    },
  ],
} as const satisfies Record<Exclude<BuildTarget, 'renderer'>, readonly ProgramBundle[]>;

/** Leaves out modules that are never called; fails where one is not met, as after an update of its package. */
function withoutUnused(unused: Readonly<Record<string, string>>): Plugin {
  const met = new Set<string>();
  return {
    name: 'without-unused',
    load(id) {
      const end = Object.keys(unused).find((path) => id.endsWith(path));
      if (end === undefined) return null;
      met.add(end);
      return { code: unused[end] ?? '', moduleType: 'js' };
    },
    buildEnd() {
      const missed = Object.keys(unused).filter((path) => !met.has(path));
      if (missed.length > 0) this.error(`Not part of the program any more: ${missed.join(', ')}`);
    },
  };
}

async function buildProgram(program: ProgramBundle, directory: string): Promise<void> {
  const input: InputOptions = {
    input: join(root, program.input),
    cwd: root,
    platform: 'node',
    // Some packages' `main` is a UMD file, whose inner imports a bundler cannot see.
    resolve: { mainFields: ['module', 'main'] },
    external: [...builtins, ...(program.external ?? [])],
    plugins: program.unused ? [withoutUnused(program.unused)] : [],
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

/**
 * Builds what is out of date into `out/`. A folder is replaced only when its build has succeeded, so that a
 * fault in the sources leaves the last good build where it is.
 */
export async function buildAll(
  options: { targets?: readonly BuildTarget[]; force?: boolean; log?: (line: string) => void } = {},
): Promise<void> {
  for (const target of options.targets ?? ALL_TARGETS) {
    const { isCurrent, directory, stamp, hash } = buildState(target);
    if (isCurrent && !options.force) continue;
    options.log?.(`Building ${target} …`);
    const building = join(dirname(directory), `.${target}-${process.pid}`);
    try {
      if (target === 'renderer') {
        await buildRenderer({
          configFile: join(root, 'vite.config.ts'),
          logLevel: 'warn',
          build: { outDir: building },
        });
      } else {
        for (const program of folders[target]) await buildProgram(program, building);
        // In the image nothing else says so, and Node would try each file as CommonJS first.
        if (target === 'programs') writeFileSync(join(building, 'package.json'), '{ "type": "module" }\n');
      }
      rmSync(directory, { recursive: true, force: true });
      renameSync(building, directory);
      writeFileSync(stamp, hash);
    } finally {
      rmSync(building, { recursive: true, force: true });
    }
  }
}
