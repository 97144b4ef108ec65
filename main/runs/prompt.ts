import type { RunInputFile } from '#shared/runs/run.ts';
import { DOCUMENTS_FOLDER } from '#shared/protocol/layout.ts';
import { fencedJson } from '#shared/text/fenced-json.ts';

/**
 * The first message of a run: the input as data, and the files. Values of the person are fenced and
 * named as data, so that text in them is not read as the author's orders.
 */
export function taskMessage(input: Record<string, unknown>, files: readonly RunInputFile[]): string {
  const parts = ['Begin.'];
  if (Object.keys(input).length > 0) {
    parts.push(`## Input\n\nThe values given for this run, as data:\n\n${fencedJson(input)}`);
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

/** What the model is told when it ended without the `output` its agent owes. */
export function outputReprompt(missing: readonly string[]): string {
  const fields = missing.length > 0 ? ` Required fields: ${missing.join(', ')}.` : '';
  return `You ended without calling the \`output\` tool, so nothing was delivered. Call it now with data that fits its schema.${fields}`;
}

/** What the model is told as its time runs out. */
export function deadlineNudge(secondsLeft: number): string {
  return `About ${secondsLeft} seconds are left of this run. Finish what matters and deliver it now.`;
}
