import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { RESOURCE_PATH, RESOURCE_PREFIX } from '#shared/protocol/api-tools.ts';
import { RESOURCES_FOLDER } from '#shared/protocol/layout.ts';
import { extensionOf, isTextType } from '#shared/tools/media-types.ts';
import { PathRefused, writeWorkspaceFile } from './workspace-file.ts';

const SHOWN_CHARACTERS = 120;

/** A result that went to a file of the workspace. */
export interface SpilledResource {
  readonly callId: string;
  readonly uri: string;
  /** Relative to the workspace. */
  readonly path: string;
  readonly size: number;
  readonly mediaType?: string;
}

/** Fetches results from the sidecar's store and writes them into the workspace. */
export class StoredResults {
  readonly #workspace: string;
  readonly #fetch: typeof fetch;
  readonly #onSpill: (resource: SpilledResource) => void;

  /** @param onSpill told of each result that is in the workspace in the place of the conversation */
  constructor(
    workspace: string,
    socketFetch: typeof fetch,
    onSpill: (resource: SpilledResource) => void = () => undefined,
  ) {
    this.#workspace = workspace;
    this.#fetch = socketFetch;
    this.#onSpill = onSpill;
  }

  /**
   * Writes a stored result to a file and lets go of it in the store.
   * @returns its size, and its beginning where it is text
   * @throws PathRefused, Error of the file system or of the store
   */
  async writeTo(
    path: string,
    uri: string,
    mediaType: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ size: number; firstLine: string | undefined }> {
    const address = `http://sidecar${RESOURCE_PATH}${idOf(uri)}`;
    const response = await this.#fetch(address, signal ? { signal } : {});
    if (!response.ok || response.body === null) throw new Error('the sidecar no longer has it');
    let head = '';
    const decoder = new TextDecoder();
    const observed = async function* (body: ReadableStream<Uint8Array>) {
      for await (const piece of body) {
        if (head.length < SHOWN_CHARACTERS) head += decoder.decode(piece.subarray(0, 1024), { stream: true });
        yield piece;
      }
    };
    const size = await writeWorkspaceFile(this.#workspace, path, observed(response.body));
    await this.#fetch(address, { method: 'DELETE' });
    const firstLine = /[^\r\n]*/.exec(head)?.[0].slice(0, SHOWN_CHARACTERS).trim();
    return { size, firstLine: isTextType(mediaType) && firstLine !== '' ? firstLine : undefined };
  }

  /** The result with its links to stored results led to files in the workspace, which the model can read. */
  async localise(
    result: CallToolResult,
    callId: string,
    signal: AbortSignal | undefined,
  ): Promise<CallToolResult> {
    const content: ContentBlock[] = [];
    for (const block of result.content) {
      const isStored = block.type === 'resource_link' && block.uri.startsWith(RESOURCE_PREFIX);
      content.push(isStored ? await this.#localiseLink(block, callId, signal) : block);
    }
    return { ...result, content };
  }

  async #localiseLink(
    block: ContentBlock & { type: 'resource_link' },
    callId: string,
    signal: AbortSignal | undefined,
  ): Promise<ContentBlock> {
    const { uri, name, mimeType } = block;
    const extension = extensionOf(mimeType);
    const safeId = callId
      .replaceAll(/[^A-Za-z0-9._-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 128);
    const path = `${RESOURCES_FOLDER}/${safeId}-${idOf(uri)}${extension === undefined ? '' : `.${extension}`}`;
    try {
      const { size, firstLine } = await this.writeTo(path, uri, mimeType, signal);
      this.#onSpill({ callId, uri, path, size, ...(mimeType !== undefined && { mediaType: mimeType }) });
      const begins = firstLine === undefined ? '' : ` It begins: ${JSON.stringify(firstLine)}.`;
      return {
        ...block,
        title: path,
        size,
        description: `not shown because of its size or kind; it is in the file ${path}.${begins} Read parts of it, or pass its path as fromFile.`,
      };
    } catch (error) {
      signal?.throwIfAborted();
      return { type: 'text', text: `[resource ${uri} (${name}): ${reasonOf(error)}]` };
    }
  }
}

/** Why a file could not be written, for the model. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the workspace is full; remove files you no longer need';
  if (error instanceof PathRefused) return error.message;
  return code ?? (error instanceof Error ? error.message : String(error));
}

function idOf(uri: string): string {
  return /\/([0-9A-Z]{26})$/.exec(uri)?.[1] ?? 'none';
}
