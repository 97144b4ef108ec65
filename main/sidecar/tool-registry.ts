import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';

/** A tool the sidecar serves. It checks its arguments itself: the MCP server does not. */
export interface SidecarTool {
  readonly definition: Tool;
  /** Answers a result, also for a failure the model can act on; what it throws becomes a tool error. */
  call(input: unknown, context: ToolCallContext): Promise<CallToolResult>;
}

export interface ToolCallContext {
  /** Fires when the agent cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** What the sandbox program itself says beside the model's arguments. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** The tools of one run, in the order in which the model is offered them. */
export class ToolRegistry {
  readonly #tools: ReadonlyMap<string, SidecarTool>;

  constructor(tools: readonly SidecarTool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
  }

  get names(): string[] {
    return [...this.#tools.keys()];
  }

  get definitions(): Tool[] {
    return [...this.#tools.values()].map((tool) => tool.definition);
  }

  get(name: string): SidecarTool | undefined {
    return this.#tools.get(name);
  }
}

/** A result the model reads as success. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

/** A result the model reads as a failure it may correct. */
export function errorResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
