import { randomBytes } from 'node:crypto';
import { RESOURCE_PREFIX } from '#shared/protocol/api-tools.ts';

/** Bytes of stored results held at one time (reference: sidecar, appendix C). */
const MAX_STORED_BYTES = 128 * 1024 * 1024;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A result too large, or too binary, for a model's context. */
export interface StoredResource {
  readonly uri: string;
  readonly name: string;
  readonly mediaType: string;
  readonly isText: boolean;
  readonly pieces: readonly Buffer[];
  readonly size: number;
}

/** Larger than everything the store may hold. */
export class StoreFull extends Error {}

/** The stored results of one run, in memory. When it is full the one not looked at for longest gives way. */
export class ResourceStore {
  readonly #runId: string;
  readonly #maxBytes: number;
  /** By id, the least recently used first. */
  readonly #resources = new Map<string, StoredResource>();
  #bytes = 0;

  constructor(runId: string, maxBytes = MAX_STORED_BYTES) {
    this.#runId = runId;
    this.#maxBytes = maxBytes;
  }

  /**
   * @param id the one it had in a recording; a new one when absent
   * @throws StoreFull
   */
  put(resource: Omit<StoredResource, 'uri'>, id = createId()): StoredResource {
    if (resource.size > this.#maxBytes) throw new StoreFull();
    const stored = { ...resource, uri: `${RESOURCE_PREFIX}${this.#runId}/${id}` };
    this.#resources.set(id, stored);
    this.#bytes += stored.size;
    for (const oldest of this.#resources.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.remove(oldest);
    }
    return stored;
  }

  /** By its id; undefined when it is gone or never was. */
  get(id: string): StoredResource | undefined {
    const resource = this.#resources.get(id);
    if (resource === undefined) return undefined;
    this.#resources.delete(id);
    this.#resources.set(id, resource);
    return resource;
  }

  /** By its address, which must be one of this run. */
  find(uri: string): StoredResource | undefined {
    const id = this.idOf(uri);
    return id === undefined ? undefined : this.get(id);
  }

  /** The id in an address of this run; undefined when it is none. */
  idOf(uri: string): string | undefined {
    const prefix = `${RESOURCE_PREFIX}${this.#runId}/`;
    return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
  }

  /** Lets go of what has been taken over. */
  remove(id: string): void {
    this.#bytes -= this.#resources.get(id)?.size ?? 0;
    this.#resources.delete(id);
  }
}

/** A ULID: ten characters of time, sixteen of chance, so that names sort by when they were made. */
function createId(): string {
  let time = '';
  for (let left = Date.now(), index = 0; index < 10; index += 1, left = Math.floor(left / 32)) {
    time = `${CROCKFORD[left % 32]}${time}`;
  }
  return time + [...randomBytes(16)].map((byte) => CROCKFORD[byte % 32]).join('');
}
