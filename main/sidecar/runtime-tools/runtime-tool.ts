import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { TOOL_SOURCE_META_KEY } from '#shared/protocol/mcp.ts';
import { errorResult, type SidecarTool, type ToolCallContext } from '../tool-registry.ts';

/** `_meta` of every tool of our own. */
export const RUNTIME_TOOL_META = { [TOOL_SOURCE_META_KEY]: 'runtime' } as const;

/** Makes a tool from one zod schema, which both describes and checks its arguments. */
export function defineRuntimeTool<Input extends z.ZodObject>(tool: {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly annotations: NonNullable<Tool['annotations']>;
  readonly run: (input: z.output<Input>, context: ToolCallContext) => Promise<CallToolResult>;
}): SidecarTool {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    definition: {
      name: tool.name,
      description: tool.description,
      inputSchema: inputSchema as Tool['inputSchema'],
      annotations: tool.annotations,
      _meta: RUNTIME_TOOL_META,
    },
    async call(input, context) {
      const parsed = tool.input.safeParse(input ?? {});
      if (!parsed.success) {
        const lines = parsed.error.issues.map((issue) => `/${issue.path.join('/')} ${issue.message}`);
        return errorResult(`${tool.name} was not called, its arguments are wrong:\n${lines.join('\n')}`);
      }
      return tool.run(parsed.data, context);
    },
  };
}
