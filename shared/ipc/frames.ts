import { z } from 'zod';
import { problemSchema, type Result } from '../problem.ts';
import type { CallExportFormat, CallFilter } from '../runs/recorded-call.ts';
import type { OutputAddressOptions } from './resource-address.ts';

/** Frames a renderer sends. Both carriers, Electron's IPC and the WebSocket, carry just these. */
export const clientFrameSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('request'), id: z.number().int(), route: z.string(), input: z.unknown() }),
  /** Aborts a request that has not been answered. */
  z.object({ kind: z.literal('cancel'), id: z.number().int() }),
  z.object({
    kind: z.literal('subscribe'),
    id: z.number().int(),
    topic: z.string(),
    parameters: z.unknown(),
    after: z.string().optional(),
  }),
  z.object({ kind: z.literal('unsubscribe'), id: z.number().int() }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** Frames main sends. */
export const serverFrameSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('response'),
    id: z.number().int(),
    result: z.union([
      z.object({ ok: z.literal(true), data: z.unknown() }),
      z.object({ ok: z.literal(false), error: problemSchema }),
    ]),
  }),
  z.object({ kind: z.literal('message'), id: z.number().int(), cursor: z.string(), data: z.unknown() }),
  /** A subscription that main ended, for example because its run was removed. */
  z.object({ kind: z.literal('closed'), id: z.number().int(), error: problemSchema.optional() }),
]);
export type ServerFrame = z.infer<typeof serverFrameSchema>;

/** A file the person picked or dropped, held by the shell under an unguessable handle. */
export const registeredFileSchema = z.object({ handle: z.string(), name: z.string(), size: z.number() });
export type RegisteredFile = z.infer<typeof registeredFileSchema>;

/**
 * What a shell gives the renderer, as `window.slipway` in Electron or made by the browser's bootstrap.
 * Everything but carrying frames and handing over files goes through routes and topics.
 */
export interface ShellBridge {
  readonly shell: 'electron' | 'browser';
  /** Sends one frame. Frames sent while the carrier is down are dropped; the client sends again. */
  send(frame: ClientFrame): void;
  /** Calls back for each frame from main; returns the way to stop. */
  onFrame(listener: (frame: unknown) => void): () => void;
  /** Calls back when the carrier comes up or goes down; first with the present state. */
  onState(listener: (state: 'connecting' | 'open' | 'closed') => void): () => void;
  /**
   * Makes a picked or dropped file known to main, without its bytes passing through the renderer's memory.
   * Never rejects: Electron's bridge lets nothing of an error through but its message.
   */
  registerFile(file: unknown, onProgress?: (fraction: number) => void): Promise<Result<RegisteredFile>>;
  /** Address at which the page may load a file kept with a run, for images, PDF and downloads. */
  outputUrl(runId: string, path: string, options?: OutputAddressOptions): string;
  /** Address at which the page may download a run's audit. */
  callsUrl(runId: string, format: CallExportFormat, filter: CallFilter): string;
  /** Address at which the page may download an exported package. */
  exportUrl(token: string): string;
}
