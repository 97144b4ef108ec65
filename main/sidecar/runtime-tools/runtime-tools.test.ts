import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SidecarEvent } from '#shared/events/run-event.ts';
import { ENDS_LOOP_META_KEY } from '#shared/protocol/mcp.ts';
import { linkedPeers } from '../test-support/sidecar-server.ts';
import type { SidecarTool } from '../tool-registry.ts';
import { createLogTool } from './log.ts';
import { nestSchema } from './nested-schema.ts';
import { createOutputTool } from './output.ts';
import { createRuntimeTools } from './runtime-tools.ts';

const context = { signal: new AbortController().signal };

function recorder() {
  const events: SidecarEvent[] = [];
  return { events, emit: async (event: SidecarEvent) => void events.push(event) };
}

async function textOf(tool: SidecarTool, input: unknown): Promise<string> {
  const { content } = await tool.call(input, context);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

describe('the choice of tools', () => {
  it.each([
    [[], ['run_history', 'recall_memory']],
    [
      ['log', 'output', 'log'],
      ['log', 'output', 'run_history', 'recall_memory'],
    ],
  ] as const)('%j gives %j', (runtimeTools, names) => {
    using peers = linkedPeers();
    const tools = createRuntimeTools({ runtimeTools: [...runtimeTools] }, peers.sidecar);
    expect(tools.map((tool) => tool.definition.name)).toEqual(names);
  });
});

describe('output', () => {
  const schema = {
    type: 'object',
    properties: {
      total: { type: 'number' },
      kind: { enum: ['a', 'b'] },
      on: { type: 'string', format: 'date' },
    },
    required: ['total'],
    additionalProperties: false,
  };

  it('lists what is wrong, each with its place', async () => {
    const { events, emit } = recorder();
    const text = await textOf(createOutputTool(schema, emit), {
      data: { kind: 'c', on: 'yesterday', extra: 1 },
    });
    expect(text.split('\n').slice(1, -1).toSorted()).toEqual([
      '/ must NOT have additional properties: "extra"',
      "/ must have required property 'total'",
      '/kind must be equal to one of the allowed values: ["a","b"]',
      '/on must match format "date"',
    ]);
    expect(text).toContain('call output again');
    expect(events).toEqual([]);
  });

  it('records what fits and marks it as the end', async () => {
    const { events, emit } = recorder();
    const result = await createOutputTool(schema, emit).call({ data: { total: 1 } }, context);
    expect(result).toEqual({
      content: [{ type: 'text', text: 'Output recorded' }],
      _meta: { [ENDS_LOOP_META_KEY]: true },
    });
    expect(events).toEqual([{ type: 'output.emitted', data: { total: 1 } }]);
  });

  it.each([undefined, null, 3, {}, { data: undefined }])('without data (%j) says so', async (input) => {
    const { emit } = recorder();
    expect(await textOf(createOutputTool(undefined, emit), input)).toContain('"data" is missing');
  });

  it.each([[], 'text', 3, null])('without a schema takes no %j', async (data) => {
    const { events, emit } = recorder();
    expect(await textOf(createOutputTool(undefined, emit), { data })).toContain('must be object');
    expect(events).toEqual([]);
  });

  it('takes data that is no object where the schema says so', async () => {
    const { events, emit } = recorder();
    await createOutputTool({ type: 'array' }, emit).call({ data: [1] }, context);
    expect(events).toEqual([{ type: 'output.emitted', data: [1] }]);
  });

  it('refuses more than a run keeps', async () => {
    const { events, emit } = recorder();
    const text = await textOf(createOutputTool(undefined, emit), { data: { text: 'x'.repeat(512 * 1024) } });
    expect(text).toContain('outputs/');
    expect(events).toEqual([]);
  });

  it.each([
    ['an unknown type', { type: 'text' }],
    ['a reference to nothing', { $ref: '#/$defs/missing' }],
    ['a broken pattern', { type: 'string', pattern: '(' }],
    ['a keyword of the wrong type', { type: 'object', required: 'total' }],
  ])('refuses a schema with %s', (_what, broken) => {
    expect(() => createOutputTool(broken, recorder().emit)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'output_schema_invalid' }) }),
    );
  });

  it.each([
    [
      'draft 7',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'number' }], type: 'array' },
    ],
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        prefixItems: [{ type: 'number' }],
        type: 'array',
      },
    ],
  ])('reads a schema as the draft it names, %s', async (_draft, named) => {
    const { emit } = recorder();
    expect(await textOf(createOutputTool(named, emit), { data: ['x'] })).toContain('/0 must be number');
  });

  it('lets keywords and formats pass that nobody knows', () => {
    const unknown = { type: 'string', format: 'colour', 'x-order': 3 };
    expect(() => createOutputTool(unknown, recorder().emit)).not.toThrow();
  });
});

describe('log', () => {
  it.each([
    { level: 'loud', message: 'x' },
    { level: 'info' },
    { level: 'info', message: '' },
    { message: 'x' },
    null,
  ])('refuses %j and says what it wants', async (input) => {
    const { events, emit } = recorder();
    const result = await createLogTool(emit).call(input, context);
    expect(result.isError).toBe(true);
    expect(events).toEqual([]);
  });

  it('cuts what is too long to be a message, within no character', async () => {
    const { events, emit } = recorder();
    await createLogTool(emit).call({ level: 'warn', message: '🚢'.repeat(20_000) }, context);
    expect(events).toEqual([{ type: 'log.written', level: 'warn', message: '🚢'.repeat(8192) }]);
  });
});

describe('a schema inside another', () => {
  it('keeps its references, but not in what is only data', () => {
    const nested = nestSchema(
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        properties: {
          $ref: { $ref: '#' },
          a: { $ref: '#/$defs/a%20b' },
          b: { $ref: '#anchor' },
          c: { $ref: 'urn:x' },
        },
        $defs: { own: { $id: 'urn:own', $ref: '#/inside' } },
        default: { $ref: '#/data' },
        enum: [{ $ref: '#' }],
      },
      '/properties/data',
    );
    expect(nested).toEqual({
      properties: {
        $ref: { $ref: '#/properties/data' },
        a: { $ref: '#/properties/data/$defs/a%20b' },
        b: { $ref: '#anchor' },
        c: { $ref: 'urn:x' },
      },
      $defs: { own: { $id: 'urn:own', $ref: '#/inside' } },
      default: { $ref: '#/data' },
      enum: [{ $ref: '#' }],
    });
  });

  it('accepts there what it accepts by itself', () => {
    const leaf = fc.constantFrom<object>(
      { type: 'string' },
      { type: 'number' },
      { $ref: '#' },
      { $ref: '#/$defs/x' },
    );
    const { schema } = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', '$ref', 'b/c'), tie('schema')),
        }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      ),
    }));
    const root = fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', '$ref', 'b/c'), schema),
      $defs: fc.record({ x: fc.constantFrom({ type: 'boolean' }, { type: 'array', items: { $ref: '#' } }) }),
    });
    fc.assert(
      fc.property(root, fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 10 }), (author, values) => {
        const options = { strict: false, logger: false, validateSchema: false } as const;
        const alone = new Ajv2020(options).compile(author);
        const inside = new Ajv2020(options).compile({
          type: 'object',
          properties: { data: nestSchema(author, '/properties/data') },
        });
        for (const data of [...values, {}, { a: {} }, { a: { a: 'x' } }, { $ref: 'x' }]) {
          expect(inside({ data })).toBe(alone(data));
        }
      }),
      { numRuns: 100 },
    );
  });
});
