import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../scripts/lib/build-state.ts';

/** How a program ended, and all it printed. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Program {
  readonly child: ChildProcess;
  readonly ended: Promise<Outcome>;
  /** Resolves with what the pattern's first group found in what was printed, once it is there. */
  said(pattern: RegExp): Promise<string>;
}

const PROGRAM = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(root, 'out', 'cli', 'slipway.js'),
];

/** The built program of the command line over a data folder of one test. */
export class CommandLine {
  readonly #folder: string;

  /** @param folder its working folder, which has the data folder and the state folder too */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where it keeps what it is told. */
  get dataFolder(): string {
    return join(this.#folder, 'data');
  }

  /** Runs it as a script does: no terminal, and `input` on its standard input. */
  run(words: readonly string[], input = ''): Program {
    const [program = '', ...rest] = PROGRAM;
    const child = spawn(program, [...rest, ...words], { cwd: this.#folder, env: this.#environment() });
    child.stdin.end(input);
    return programOf(child);
  }

  /** The same at a terminal of its own; what is written to its input is what a person would type. */
  atTerminal(words: readonly string[], dataFolder = this.dataFolder): Program {
    const command = [...PROGRAM, ...words].map((word) => `'${word}'`).join(' ');
    const env = { ...this.#environment(), TERM: 'dumb', SLIPWAY_DATA_DIR: dataFolder };
    const script = ['--quiet', '--return', '--command', command, '/dev/null'];
    return programOf(spawn('script', script, { cwd: this.#folder, env }));
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      HOME: this.#folder,
      SLIPWAY_DATA_DIR: this.dataFolder,
      XDG_STATE_HOME: join(this.#folder, 'state'),
      NO_COLOR: '1',
    };
  }
}

function programOf(child: ChildProcess): Program {
  let output = '';
  let errors = '';
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    tell();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
    tell();
  });
  return {
    child,
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, output, errors }))),
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(errors + output);
          if (!found) return;
          listeners.delete(look);
          resolve(found[1] ?? found[0]);
        };
        listeners.add(look);
        child.once('close', () => reject(new Error(`It never said ${String(pattern)}: ${errors}${output}`)));
        look();
      }),
  };
}
