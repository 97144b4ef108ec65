import type { AgentDetail } from '#shared/ipc/routes.ts';

export interface ToolGroup {
  readonly origin: string;
  readonly explanation: string;
  readonly tools: readonly string[];
}

/** Tools of Pi itself, that work inside of the sandbox (reference: pi-and-tools-model, part B). */
const SANDBOX_TOOLS = ['read', 'write', 'edit', 'bash', 'grep', 'find', 'ls'];
/** What the sidecar serves to every agent. */
const ALWAYS_SERVED = ['run_history', 'recall_memory'];

/** What an agent may call, by where the call ends up. */
export function groupTools({ summary, runtimeTools }: AgentDetail): ToolGroup[] {
  const platform = new Set([...runtimeTools, ...ALWAYS_SERVED]);
  const sandbox = new Set(SANDBOX_TOOLS);
  const others = summary.tools.filter((tool) => !platform.has(tool) && !sandbox.has(tool));
  return [
    {
      origin: 'Sandbox',
      explanation: 'Work on files and programs inside the container, which has no network.',
      tools: SANDBOX_TOOLS,
    },
    {
      origin: 'Platform',
      explanation: 'Served by the run’s sidecar. What arrives here is what the agent delivers.',
      tools: [...platform],
    },
    { origin: 'Other', explanation: 'Named by the agent’s package.', tools: others },
  ].filter(({ tools }) => tools.length > 0);
}
