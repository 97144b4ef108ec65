/** A tool call that a script makes. */
export interface ScriptedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One answer of the walkthrough: something said, and tools called. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

/** What a run was begun with, as its first message says. */
export interface Task {
  readonly input: Readonly<Record<string, unknown>>;
  readonly documents: readonly TaskDocument[];
}

export interface TaskDocument {
  /** Relative to the workspace. */
  readonly path: string;
  /** Input field it was given for. */
  readonly field: string | undefined;
}

export interface ScriptContext {
  readonly task: Task;
  /** Whether the run has a tool; the same through the whole run, so that a replay takes the same way. */
  hasTool(name: string): boolean;
  /** JSON Schema of a tool's arguments, where it is offered now. */
  schemaOf(name: string): unknown;
}

/**
 * A script: yields its turns, is given the results of each turn's calls in order, and returns what it says
 * last. It may depend on nothing but the context and the results, since it is replayed for every request.
 */
export type Script = (context: ScriptContext) => Generator<Turn, string, readonly string[]>;

/** A call of a tool. */
export function call(tool: string, args: Readonly<Record<string, unknown>>): ScriptedCall {
  return { tool, arguments: args };
}

/** A turn that says something and calls tools. */
export function turn(text: string, ...calls: readonly (ScriptedCall | undefined)[]): Turn {
  return { text, calls: calls.filter((item) => item !== undefined) };
}
