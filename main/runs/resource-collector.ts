import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { RESOURCES_FOLDER, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import type { Problem } from '#shared/problem.ts';
import { MAX_RESPONSE_BYTES } from '#shared/tools/sidecar-limits.ts';
import type { ArchiveSource } from './output-collector.ts';
import { PART_ENDING } from './write-whole.ts';

/** Bytes of spilled results that are kept of one run. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** Results waiting to be fetched; an agent that causes more loses the rest, not the app its memory. */
const MAX_WAITING = 1000;

export interface ResourceListener {
  kept(path: string, size: number): void;
  skipped(path: string, problem: Problem): void;
}

/**
 * Brings results that were too large for the conversation to the run's folder as soon as they are in the
 * workspace, before the agent's own commands change them there.
 */
export class ResourceCollector {
  readonly #source: ArchiveSource;
  readonly #folder: string;
  readonly #listener: ResourceListener;
  readonly #abort = new AbortController();
  #fetching: Promise<void> = Promise.resolve();
  #waiting = 0;
  #keptBytes = 0;

  /** @param folder where the kept files go; made when the first is kept */
  constructor(source: ArchiveSource, folder: string, listener: ResourceListener) {
    this.#source = source;
    this.#folder = folder;
    this.#listener = listener;
  }

  /** Fetches a spilled result, one after another. The path comes from where the agent's code runs. */
  take(path: string): void {
    const name = resourceNameOf(path);
    if (name === undefined || this.#waiting >= MAX_WAITING || this.#abort.signal.aborted) {
      this.#listener.skipped(path, notKept(path, 'it cannot be fetched'));
      return;
    }
    this.#waiting += 1;
    const before = this.#fetching;
    this.#fetching = (async () => {
      await before;
      await this.#fetch(path, name);
      this.#waiting -= 1;
    })();
  }

  /** Resolves when what was asked for is there; gives up what is left when the signal fires. */
  async finish(signal: AbortSignal): Promise<void> {
    const giveUp = () => this.#abort.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    await this.#fetching;
    signal.removeEventListener('abort', giveUp);
  }

  async #fetch(path: string, name: string): Promise<void> {
    const { signal } = this.#abort;
    const draft = join(this.#folder, `${name}${PART_ENDING}`);
    try {
      const archive = await this.#source.getArchive(`${WORKSPACE_PATH}/${path}`, signal);
      const entries = extract();
      const piping = pipeline(archive, entries, { signal });
      piping.catch(() => undefined);
      let size: number | undefined;
      for await (const entry of entries) {
        const bytes = entry.header.size ?? 0;
        if (entry.header.type !== 'file' || size !== undefined || !this.#fits(bytes)) {
          entry.resume();
          continue;
        }
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await pipeline(Readable.from(entry), createWriteStream(draft, { mode: 0o600 }), { signal });
        size = bytes;
      }
      await piping;
      if (size === undefined) throw new Error('it is no file of a size that is kept');
      await rename(draft, join(this.#folder, name));
      this.#keptBytes += size;
      this.#listener.kept(path, size);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      const reason = signal.aborted ? 'the run ended before' : reasonOf(error);
      this.#listener.skipped(path, notKept(path, reason));
    }
  }

  #fits(bytes: number): boolean {
    return bytes <= MAX_RESPONSE_BYTES && this.#keptBytes + bytes <= MAX_KEPT_BYTES;
  }
}

/** The file's name under `resources/`; undefined for a path that no spilled result has. */
export function resourceNameOf(path: string): string | undefined {
  return /^([A-Za-z0-9_-][A-Za-z0-9._-]{0,199})$/.exec(
    path.startsWith(`${RESOURCES_FOLDER}/`) ? path.slice(RESOURCES_FOLDER.length + 1) : '',
  )?.[1];
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full';
  return error instanceof Error ? error.message : String(error);
}

function notKept(path: string, reason: string): Problem {
  return {
    code: 'resource_not_kept',
    title: 'A result was not kept',
    detail: `"${path}" was not kept with the run: ${reason}.`,
    file: path,
  };
}
