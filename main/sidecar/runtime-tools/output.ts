import type { SidecarEvent } from '#shared/events/run-event.ts';
import { ProblemError } from '#shared/problem.ts';
import { ENDS_LOOP_META_KEY } from '#shared/protocol/mcp.ts';
import { compileSchema, type SchemaValidator } from '../json-schema.ts';
import { errorResult, textResult, type SidecarTool } from '../tool-registry.ts';
import { nestSchema } from './nested-schema.ts';
import { RUNTIME_TOOL_META } from './runtime-tool.ts';

/** Bytes of a result that a run keeps (reference: sidecar, section 4.2). */
const MAX_OUTPUT_BYTES = 512 * 1024;

/**
 * Delivers the run's result, held against the manifest's `output.schema`. Accepted, it ends the loop;
 * the last accepted call counts.
 * @throws ProblemError `output_schema_invalid`
 */
export function createOutputTool(
  schema: Readonly<Record<string, unknown>> | undefined,
  emit: (event: SidecarEvent) => Promise<void>,
): SidecarTool {
  const validate = schema === undefined ? undefined : compileOutputSchema(schema);
  return {
    definition: {
      name: 'output',
      description:
        'Deliver the final result of your work. This ends your work, so call it once, last, ' +
        'when everything else is done and every file is written.',
      inputSchema: {
        type: 'object',
        properties: { data: nestSchema(schema ?? { type: 'object' }, '/properties/data') },
        required: ['data'],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      _meta: RUNTIME_TOOL_META,
    },
    async call(input) {
      if (typeof input !== 'object' || input === null || !('data' in input) || input.data === undefined) {
        return errorResult('The output was not recorded: the argument "data" is missing. Call output again.');
      }
      const { data } = input;
      const violations = validate?.(data) ?? (isObject(data) ? [] : [NOT_AN_OBJECT]);
      if (violations.length > 0) {
        const lines = violations.map(({ path, message }) => `${path === '' ? '/' : path} ${message}`);
        return errorResult(
          `The output was not recorded, it does not match its schema:\n${lines.join('\n')}\nCorrect it and call output again.`,
        );
      }
      const bytes = Buffer.byteLength(JSON.stringify(data));
      if (bytes > MAX_OUTPUT_BYTES) {
        return errorResult(
          `The output was not recorded: it has ${bytes} bytes and may have ${MAX_OUTPUT_BYTES}. ` +
            'Write the long parts to files under outputs/ and call output again.',
        );
      }
      await emit({ type: 'output.emitted', data });
      return { ...textResult('Output recorded'), _meta: { [ENDS_LOOP_META_KEY]: true } };
    },
  };
}

const NOT_AN_OBJECT = { path: '', message: 'must be object' };

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function compileOutputSchema(schema: Readonly<Record<string, unknown>>): SchemaValidator {
  try {
    return compileSchema(schema);
  } catch (error) {
    throw new ProblemError({
      code: 'output_schema_invalid',
      title: 'The output schema cannot be used',
      detail: `The manifest's output.schema is not a valid JSON Schema: ${error instanceof Error ? error.message : String(error)}.`,
      pointer: '/output/schema',
      file: 'manifest.json',
      action: 'Correct output.schema in the manifest.',
    });
  }
}
