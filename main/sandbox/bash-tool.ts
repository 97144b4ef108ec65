import type { ToolDefinition } from '@earendil-works/pi-coding-agent';
import { CommandOutput } from './command-output.ts';
import type { Pi } from './pi.ts';

/** Time between two looks at what a command prints. */
const PROGRESS_INTERVAL_MS = 250;
const PROGRESS_BYTES = 2 * 1024;

/**
 * Pi's bash tool with our own gathering of the output. Pi's keeps a long output in a file too, but ends
 * the program when the disk is full and holds all that a fast command prints.
 */
export function createBashTool(pi: Pi, workspace: string): ToolDefinition {
  const local = pi.createLocalBashOperations();
  const { name, label, description, parameters } = pi.createBashToolDefinition(workspace);
  return {
    name,
    label,
    description,
    parameters,
    async execute(callId, input, signal, onUpdate, context) {
      const output = new CommandOutput();
      let shown = '';
      const progress = setInterval(() => {
        const latest = output.latest(PROGRESS_BYTES);
        if (latest === shown) return;
        shown = latest;
        onUpdate?.({ content: [{ type: 'text', text: latest }], details: undefined });
      }, PROGRESS_INTERVAL_MS);
      const tool = pi.createBashToolDefinition(workspace, {
        exposeSessionEnvironment: false,
        operations: {
          async exec(command, folder, options) {
            try {
              return await local.exec(command, folder, { ...options, onData: (data) => output.append(data) });
            } finally {
              // Pi is given the text at one time and finds it short enough to leave it as it is.
              options.onData(Buffer.from(await output.finish()));
            }
          },
        },
      });
      try {
        return await tool.execute(
          callId,
          input as Parameters<typeof tool.execute>[1],
          signal,
          undefined,
          context,
        );
      } finally {
        clearInterval(progress);
      }
    },
  };
}
