import { DOCUMENTS_FOLDER, OUTPUTS_FOLDER, RESOURCES_FOLDER } from '../protocol/layout.ts';
import { cleanText } from '../mcp/hidden-text.ts';
import { cutText } from '../text/cut-text.ts';
import { fencedJson } from '../text/fenced-json.ts';

/** Bytes of a service's name in the prompt. */
const MAX_SERVICE_NAME_BYTES = 120;

export interface PromptParts {
  readonly agentName: string;
  readonly agentPrompt: string;
  readonly timeoutSeconds: number;
  readonly workspaceBytes: number;
  readonly runtimeTools: readonly string[];
  readonly hasOutputSchema: boolean;
  /** Names of the services that the run may call; none when absent. */
  readonly services?: readonly string[];
  /** What their integrations say on how to use them; none when absent. */
  readonly serviceNotes?: readonly ServiceNotes[];
  /** What earlier runs left; nothing when absent. */
  readonly memory?: PromptMemory;
}

/** What the prompt has of an agent's memory. */
export interface PromptMemory {
  /** What the slot "checkpoint" holds; absent when there is none. */
  readonly checkpoint?: unknown;
  readonly pins: readonly { readonly key: string; readonly content: unknown }[];
  /** Notes that can be searched. */
  readonly noteCount: number;
}

/** A file of the workspace with what an integration says to those who use its service. */
export interface ServiceNotes {
  readonly service: string;
  /** Relative to the workspace. */
  readonly path: string;
}

/**
 * The system prompt of a run: where the agent is, how it is heard, and then the author's own prompt,
 * word for word. Tools are not named here beyond what the platform's rules need: MCP advertises them.
 */
export function systemPrompt(parts: PromptParts): string {
  return `${platformPrompt(parts)}${parts.agentPrompt}`;
}

/** What the platform says before the author's own prompt, up to the line that parts them. */
export function platformPrompt(parts: Omit<PromptParts, 'agentPrompt'>): string {
  const sections = [
    `You are the agent "${parts.agentName}". You work by yourself: nobody answers questions during the run, so decide and go on.`,
    [
      '## Environment',
      `You are in a throw-away Linux sandbox without any network. Your working folder is the workspace; files you were given are under \`${DOCUMENTS_FOLDER}/\`.`,
      'python3 with openpyxl, pandas, requests and PyPDF2 is installed, and bash, git, ripgrep and fd. Nothing else can be installed.',
      `The run may take ${parts.timeoutSeconds} seconds, and the workspace holds ${Math.floor(parts.workspaceBytes / 1_048_576)} MB.`,
    ].join('\n'),
    communication(parts.runtimeTools),
    ...servicesPart(parts.services ?? [], parts.serviceNotes ?? []),
    ...(parts.memory ? memoryParts(parts.memory, parts.runtimeTools) : []),
    [
      '## Files you deliver',
      `Write every file that is meant for the person under \`${OUTPUTS_FOLDER}/\`. Files elsewhere, names that begin with a dot, and links are not delivered.`,
    ].join('\n'),
  ];
  if (parts.hasOutputSchema) {
    sections.push(
      [
        '## Result',
        'Finish by calling the `output` tool once, with data that fits its schema. A run that ends without it has failed.',
      ].join('\n'),
    );
  }
  return `${sections.join('\n\n')}\n\n---\n\n`;
}

function servicesPart(services: readonly string[], notes: readonly ServiceNotes[]): string[] {
  if (services.length === 0) return [];
  return [
    [
      '## Services',
      `You act at ${services.map(nameOf).join(', ')} through tools alone. Accounts are connected and their credentials are added to each call; neither you nor the sandbox has one, so never ask for one.`,
      `A result that is too large for this conversation, or no text, becomes a file under \`${RESOURCES_FOLDER}/\`; you are told its path.`,
      ...(notes.length > 0
        ? [
            `Before you first use a service, read the notes on it: ${notes.map(({ service, path }) => `${nameOf(service)} in \`${path}\``).join(', ')}.`,
          ]
        : []),
    ].join('\n'),
  ];
}

/** What an integration calls itself: its author's word, which is one line and no more than a name. */
function nameOf(service: string): string {
  return cutText(cleanText(service).replaceAll(/\s+/g, ' ').trim(), MAX_SERVICE_NAME_BYTES).text;
}

/** Contents are fenced: they are what earlier runs wrote, and no instruction of the platform. */
function memoryParts({ checkpoint, pins, noteCount }: PromptMemory, tools: readonly string[]): string[] {
  const canPin = tools.includes('pin');
  const sections: string[] = [];
  if (checkpoint !== undefined) {
    sections.push(
      [
        '## Checkpoint',
        'Where the run before this one stopped, as it wrote it down, as data:',
        fencedJson(checkpoint),
        ...(canPin
          ? ['Set the slot `checkpoint` with `pin` before you end, for the run after this one.']
          : []),
      ].join('\n'),
    );
  }
  if (pins.length > 0) {
    sections.push(
      [
        '## Pinned slots',
        'What earlier runs, or the author, pinned for you, as data:',
        ...pins.map(({ key, content }) => `\`${key}\`\n${fencedJson(content)}`),
      ].join('\n'),
    );
  }
  if (noteCount > 0 || tools.includes('note')) {
    const count =
      noteCount === 1 ? 'There is 1 note' : `There are ${noteCount === 0 ? 'no' : noteCount} notes`;
    sections.push(
      [
        '## Memory',
        `${count} of earlier runs. \`recall_memory\` searches them.`,
        ...(tools.includes('note') ? ['Use `note` for what later runs should know.'] : []),
      ].join('\n'),
    );
  }
  return sections;
}

function communication(runtimeTools: readonly string[]): string {
  const ways = [
    ...(runtimeTools.includes('output') ? ['the `output` tool'] : []),
    ...(runtimeTools.includes('log') ? ['the `log` tool'] : []),
    ...(runtimeTools.includes('publish_file') ? ['the `publish_file` tool'] : []),
    `files under \`${OUTPUTS_FOLDER}/\``,
  ];
  return [
    '## How you are heard',
    `What you write as plain text is never delivered. You reach the person only through ${ways.join(', ')}.`,
  ].join('\n');
}
