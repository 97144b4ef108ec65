import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';

export interface OfferedCall {
  readonly signal: AbortSignal;
  /** Says how far the call is; for a client that asked to be told. */
  readonly onProgress: (message: string) => void;
}

/** Something of the app that a client outside of it may call. */
export interface OfferedTool {
  readonly definition: Tool;
  /** @throws ProblemError, which the client is told as a result. */
  call(input: Readonly<Record<string, unknown>>, call: OfferedCall): Promise<CallToolResult>;
}
