import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstanceRegistry } from './instance-registry.ts';

const recordSchema = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

/**
 * When a process began, as text that differs between two processes that had the same id.
 * Empty where the platform does not tell; undefined when there is no such process.
 */
function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command name may hold blanks and brackets: count fields after its closing one (proc(5), field 22).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' ? undefined : (fields[19] ?? '');
    } catch {
      return undefined;
    }
  }
  try {
    process.kill(pid, 0);
    return '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? '' : undefined;
  }
}

/** Live instances as one small file each, named by the instance, holding its process. */
export class ProcessInstanceRegistry implements InstanceRegistry {
  readonly instanceId = randomUUID();
  readonly hostId: string;
  readonly #folder: string;

  /** @param stateDirectory shared by all instances of this person on this machine */
  constructor(stateDirectory: string) {
    this.#folder = join(stateDirectory, 'instances');
    this.hostId = createHash('sha256')
      // The folder too: whoever reads another registry cannot know which of our instances live.
      .update(`${hostname()}\0${userInfo().username}\0${this.#folder}`)
      .digest('hex')
      .slice(0, 16);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#forgetDead();
    // Renamed into place: an instance whose record is read half-written would be taken for dead.
    const draft = join(stateDirectory, `${this.instanceId}.json`);
    writeFileSync(draft, JSON.stringify({ pid: process.pid, startedAt: processStart(process.pid) ?? '' }));
    renameSync(draft, this.#file(this.instanceId));
  }

  isLive(instanceId: string): boolean {
    if (instanceId === this.instanceId) return true;
    if (!/^[0-9a-f-]{36}$/.test(instanceId)) return false;
    try {
      const record = recordSchema.parse(JSON.parse(readFileSync(this.#file(instanceId), 'utf8')));
      return processStart(record.pid) === record.startedAt;
    } catch {
      return false;
    }
  }

  #file(instanceId: string): string {
    return join(this.#folder, `${instanceId}.json`);
  }

  #forgetDead(): void {
    for (const name of readdirSync(this.#folder)) {
      const instanceId = name.replace(/\.json$/, '');
      if (!this.isLive(instanceId)) rmSync(join(this.#folder, name), { force: true });
    }
  }

  [Symbol.dispose](): void {
    if (existsSync(this.#folder)) rmSync(this.#file(this.instanceId), { force: true });
  }
}
