import { RUNTIME_TOOL_IDS } from '#shared/manifest/runtime-tools.ts';
import { definitionTokens } from '#shared/tools/definition-costs.ts';

/** Tokens taken for a tool whose definition is not known here. */
export const UNKNOWN_TOOL_TOKENS = 150;

/** Most tools one turn of a model carries (reference: pi-and-tools-model, item 16). */
export const MAX_TOOLS = 128;

/** A tool that is there without any package. */
export interface PlatformTool {
  readonly name: string;
  readonly description: string;
  /** Estimated tokens of its definition. */
  readonly tokens: number;
}

/** What Pi gives every agent, inside of the sandbox. */
export const SANDBOX_TOOLS: readonly PlatformTool[] = [
  {
    name: 'read',
    description: 'Reads a file of the workspace, text or image.',
    tokens: definitionTokens('read'),
  },
  { name: 'write', description: 'Writes a file of the workspace.', tokens: definitionTokens('write') },
  { name: 'edit', description: 'Changes exact passages of a file.', tokens: definitionTokens('edit') },
  {
    name: 'bash',
    description: 'Runs a command. Python with openpyxl, pandas and requests is there.',
    tokens: definitionTokens('bash'),
  },
  { name: 'grep', description: 'Searches the text of files.', tokens: definitionTokens('grep') },
  { name: 'find', description: 'Finds files by name.', tokens: definitionTokens('find') },
  { name: 'ls', description: 'Lists a folder.', tokens: definitionTokens('ls') },
];

/** What the sidecar serves to every agent; both only read. */
export const ALWAYS_SERVED: readonly PlatformTool[] = [
  {
    name: 'run_history',
    description: 'Reads how earlier runs of this agent went.',
    tokens: definitionTokens('run_history'),
  },
  {
    name: 'recall_memory',
    description: 'Searches what earlier runs noted.',
    tokens: definitionTokens('recall_memory'),
  },
];

const RUNTIME_TOOLS: Readonly<Record<(typeof RUNTIME_TOOL_IDS)[number], Omit<PlatformTool, 'name'>>> = {
  output: {
    description: 'Delivers the result and ends the run. An agent with an output schema needs it.',
    tokens: definitionTokens('output'),
  },
  log: { description: 'Shows you a message while the run goes on.', tokens: definitionTokens('log') },
  note: {
    description: 'Keeps a fact for later runs, to be searched with recall_memory.',
    tokens: definitionTokens('note'),
  },
  pin: {
    description: 'Keeps a short text that every later run begins with.',
    tokens: definitionTokens('pin'),
  },
  publish_file: {
    description: 'Hands a file over as a document of the run.',
    tokens: definitionTokens('publish_file'),
  },
};

/** What an author chooses in `runtime_tools`. */
export const RUNTIME_TOOL_CHOICES: readonly PlatformTool[] = RUNTIME_TOOL_IDS.map((name) => ({
  name,
  ...RUNTIME_TOOLS[name],
}));

/** What the pair is for that the platform makes of an integration's authentication method. */
export const API_TOOLS = {
  api_call:
    'Sends one HTTP request with the credential to an address the integration allows, and gives the answer.',
  api_upload: 'Uploads a file of the workspace in parts, as the service’s own protocol wants it.',
} as const;
