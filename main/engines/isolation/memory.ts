import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isolationCheckSchema, type IsolationCheck } from '#shared/engines/engine-report.ts';

const fileSchema = z.object({ probes: z.record(z.string(), z.array(isolationCheckSchema)) });

/** Entries kept: engines and images of a machine are few, and old ones are of no use. */
const KEPT = 16;

/**
 * Remembers which engines were probed and passed, so that it happens once for each engine version and
 * image. A failure is not kept: the next use looks again.
 */
export class IsolationMemory {
  readonly #file: string;
  #probes: Map<string, IsolationCheck[]> | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  async recall(key: string): Promise<IsolationCheck[] | undefined> {
    return (await this.#load()).get(key);
  }

  /** Keeps the checks when all passed. */
  async remember(key: string, checks: IsolationCheck[]): Promise<void> {
    if (checks.length === 0 || checks.some(({ passed }) => !passed)) return;
    const probes = await this.#load();
    probes.delete(key);
    probes.set(key, checks);
    const kept = Object.fromEntries([...probes].slice(-KEPT));
    await mkdir(dirname(this.#file), { recursive: true });
    const draft = `${this.#file}.${process.pid}`;
    await writeFile(draft, JSON.stringify({ probes: kept }, undefined, 1), { mode: 0o600 });
    await rename(draft, this.#file);
  }

  async #load(): Promise<Map<string, IsolationCheck[]>> {
    if (this.#probes) return this.#probes;
    try {
      const file = fileSchema.parse(JSON.parse(await readFile(this.#file, 'utf8')));
      this.#probes = new Map(Object.entries(file.probes));
    } catch {
      // Missing or damaged: every engine is probed again.
      this.#probes = new Map();
    }
    return this.#probes;
  }
}
