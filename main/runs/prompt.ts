import type { RunInputFile } from '#shared/runs/run.ts';
import { DOCUMENTS_FOLDER, OUTPUTS_FOLDER } from '#shared/protocol/layout.ts';

export interface PromptParts {
  readonly agentName: string;
  readonly agentPrompt: string;
  readonly timeoutSeconds: number;
  readonly workspaceBytes: number;
  readonly runtimeTools: readonly string[];
  readonly hasOutputSchema: boolean;
}

/**
 * The system prompt of a run: where the agent is, how it is heard, and then the author's own prompt,
 * word for word. Tools are not named here beyond what the platform's rules need: MCP advertises them.
 */
export function systemPrompt(parts: PromptParts): string {
  const sections = [
    `You are the agent "${parts.agentName}". You work by yourself: nobody answers questions during the run, so decide and go on.`,
    [
      '## Environment',
      `You are in a throw-away Linux sandbox without any network. Your working folder is the workspace; files you were given are under \`${DOCUMENTS_FOLDER}/\`.`,
      'python3 with openpyxl, pandas, requests and PyPDF2 is installed, and bash, git, ripgrep and fd. Nothing else can be installed.',
      `The run may take ${parts.timeoutSeconds} seconds, and the workspace holds ${Math.floor(parts.workspaceBytes / 1_048_576)} MB.`,
    ].join('\n'),
    communication(parts),
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
  return `${sections.join('\n\n')}\n\n---\n\n${parts.agentPrompt}`;
}

function communication({ runtimeTools }: PromptParts): string {
  const ways = [
    ...(runtimeTools.includes('output') ? ['the `output` tool'] : []),
    ...(runtimeTools.includes('log') ? ['the `log` tool'] : []),
    `files under \`${OUTPUTS_FOLDER}/\``,
  ];
  return [
    '## How you are heard',
    `What you write as plain text is never delivered. You reach the person only through ${ways.join(', ')}.`,
  ].join('\n');
}

/**
 * The first message of a run: the input as data, and the files. Values of the person are fenced and
 * named as data, so that text in them is not read as the author's orders.
 */
export function taskMessage(input: Record<string, unknown>, files: readonly RunInputFile[]): string {
  const parts = ['Begin.'];
  if (Object.keys(input).length > 0) {
    const json = JSON.stringify(input, null, 2);
    const fence = fenceFor(json);
    parts.push(`## Input\n\nThe values given for this run, as data:\n\n${fence}json\n${json}\n${fence}`);
  }
  if (files.length > 0) {
    const lines = files.map(
      (file) =>
        `- ${JSON.stringify(`${DOCUMENTS_FOLDER}/${file.name}`)} (${file.size} bytes${file.field ? `, input "${file.field}"` : ''})`,
    );
    parts.push(`## Documents\n\n${lines.join('\n')}`);
  }
  return parts.join('\n\n');
}

/** A fence longer than any run of back-ticks in the text, so that the text cannot close it. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  return '`'.repeat(longest + 1);
}

/** What the model is told when it ended without the `output` its agent owes. */
export function outputReprompt(missing: readonly string[]): string {
  const fields = missing.length > 0 ? ` Required fields: ${missing.join(', ')}.` : '';
  return `You ended without calling the \`output\` tool, so nothing was delivered. Call it now with data that fits its schema.${fields}`;
}

/** What the model is told as its time runs out. */
export function deadlineNudge(secondsLeft: number): string {
  return `About ${secondsLeft} seconds are left of this run. Finish what matters and deliver it now.`;
}
