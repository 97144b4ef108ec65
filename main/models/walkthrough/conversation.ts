import { z } from 'zod';
import type { Task, TaskDocument } from './turn.ts';

/** One earlier answer with tool calls, and what the tools gave. */
export interface Exchange {
  readonly calls: readonly { readonly tool: string; readonly arguments: unknown; readonly result: string }[];
}

/** A chat request as the scripts need it. */
export interface Conversation {
  readonly task: Task;
  readonly exchanges: readonly Exchange[];
  /** Tools offered now, with the schema of their arguments. */
  readonly tools: ReadonlyMap<string, unknown>;
  /** Characters of everything the request says. */
  readonly length: number;
}

const part = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.string() }),
]);
const content = z.union([z.string(), z.array(part)]).nullish();

const requestSchema = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content,
      tool_calls: z
        .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
        .nullish(),
      tool_call_id: z.string().nullish(),
    }),
  ),
  tools: z
    .array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) }))
    .nullish()
    .transform((tools) => tools ?? []),
});

/** Reads a request of OpenAI's chat completions API; `undefined` when it is none. */
export function parseConversation(body: unknown): Conversation | undefined {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return undefined;
  const { messages, tools } = parsed.data;
  const results = new Map(
    messages
      .filter(({ role, tool_call_id }) => role === 'tool' && tool_call_id)
      .map((message) => [message.tool_call_id, textOf(message.content)]),
  );
  const exchanges = messages
    .filter(({ role, tool_calls }) => role === 'assistant' && tool_calls && tool_calls.length > 0)
    .map(({ tool_calls }) => ({
      calls: (tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        tool: name,
        arguments: parseJson(text),
        result: results.get(id) ?? '',
      })),
    }));
  const task = messages.find(({ role }) => role === 'user');
  return {
    task: parseTask(textOf(task?.content)),
    exchanges,
    tools: new Map(tools.map(({ function: { name, parameters } }) => [name, parameters])),
    length: JSON.stringify(messages).length + JSON.stringify(tools).length,
  };
}

function textOf(value: z.infer<typeof content>): string {
  if (typeof value === 'string') return value;
  return (value ?? [])
    .map((item) => ('text' in item && typeof item.text === 'string' ? item.text : ''))
    .join('\n');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const inputSchema = z.record(z.string(), z.unknown());

/** Reads a run's first message: a fenced JSON object under `## Input`, and a list under `## Documents`. */
export function parseTask(text: string): Task {
  const fenced = /^## Input\n[\s\S]*?^(`{3,})json\n([\s\S]*?)\n\1$/m.exec(text);
  const input = inputSchema.safeParse(parseJson(fenced?.[2] ?? '')).data ?? {};
  const list = text.slice(Math.max(0, text.lastIndexOf('\n## Documents')));
  const documents: TaskDocument[] = [];
  for (const [, path = '', field] of list.matchAll(
    /^- ("(?:[^"\\]|\\.)*") \(\d+ bytes(?:, input "([^"]*)")?\)$/gm,
  )) {
    const name = parseJson(path);
    if (typeof name === 'string') documents.push({ path: name, field });
  }
  return { input, documents };
}
