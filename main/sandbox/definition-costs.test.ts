import { afterAll, describe, expect, it } from 'vitest';
import { createLogTool } from '#main/sidecar/runtime-tools/log.ts';
import { createNoteTool } from '#main/sidecar/runtime-tools/note.ts';
import { createOutputTool } from '#main/sidecar/runtime-tools/output.ts';
import { createPinTool } from '#main/sidecar/runtime-tools/pin.ts';
import { createPublishFileTool } from '#main/sidecar/runtime-tools/publish-file.ts';
import { createRecallMemoryTool } from '#main/sidecar/runtime-tools/recall-memory.ts';
import { createRunHistoryTool } from '#main/sidecar/runtime-tools/run-history.ts';
import type { MainLink } from '#main/sidecar/stdio.ts';
import { AUTH, createCaller } from '#main/sidecar/test-support/services.ts';
import type { SidecarTool } from '#main/sidecar/tool-registry.ts';
import { createUploadTool } from '#main/sidecar/uploads/api-upload-tool.ts';
import { DEFINITION_CHARACTERS, type CountedTool } from '#shared/tools/definition-costs.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { createBashTool } from './bash-tool.ts';
import { loadPi } from './pi.ts';

const noMain = {} as MainLink;
const emit = () => Promise.resolve();
const caller = createCaller({});
afterAll(() => caller[Symbol.asyncDispose]());

/** As the sandbox counts what a tool costs. */
function lengthOf(name: string, description: string | undefined, schema: unknown): number {
  return `${name}${description}${JSON.stringify(schema)}`.length;
}

function lengthOfServed({ definition }: SidecarTool): number {
  return lengthOf(definition.name, definition.description, definition.inputSchema);
}

/** Part by which a count is off. A changed word is no matter, a changed schema is. */
function fault(tool: CountedTool, actual: number): number {
  return Math.abs(DEFINITION_CHARACTERS[tool] - actual) / actual;
}

const TOLERATED = 0.05;

describe('what the editor counts for a tool of the platform', () => {
  it.each(['read', 'write', 'edit', 'grep', 'find', 'ls'] as const)('%s: as Pi defines it', async (name) => {
    const pi = await loadPi();
    const create = {
      read: pi.createReadToolDefinition,
      write: pi.createWriteToolDefinition,
      edit: pi.createEditToolDefinition,
      grep: pi.createGrepToolDefinition,
      find: pi.createFindToolDefinition,
      ls: pi.createLsToolDefinition,
    }[name];
    const { description, parameters } = create('/workspace');
    expect(fault(name, lengthOf(name, description, parameters))).toBeLessThan(TOLERATED);
  });

  it('bash: as the sandbox offers it', async () => {
    const { name, description, parameters } = createBashTool(await loadPi(), '/workspace');
    expect(fault('bash', lengthOf(name, description, parameters))).toBeLessThan(TOLERATED);
  });

  it.each<[CountedTool, SidecarTool]>([
    ['log', createLogTool(emit)],
    ['note', createNoteTool(noMain)],
    ['pin', createPinTool(noMain)],
    ['publish_file', createPublishFileTool(noMain)],
    ['run_history', createRunHistoryTool(noMain)],
    ['recall_memory', createRecallMemoryTool(noMain)],
  ])('%s: as the sidecar defines it', (name, tool) => {
    expect(fault(name, lengthOfServed(tool))).toBeLessThan(TOLERATED);
  });

  it('output: without the schema the author gives', () => {
    const schema = { type: 'object', properties: { sum: { type: 'number' } } };
    const whole = lengthOfServed(createOutputTool(schema, emit));
    expect(fault('output', whole - JSON.stringify(schema).length)).toBeLessThan(TOLERATED);
  });

  it('api_call and api_upload: without what the integration brings', () => {
    const call = caller.tool.definition;
    const callBrings = `${call.name}Service${AUTH.authorizedUris.join(', ')}`;
    expect(fault('api_call', lengthOfServed(caller.tool) - callBrings.length)).toBeLessThan(TOLERATED);

    const auth = { ...AUTH, uploadTool: 'api_upload', uploadProtocols: ['tus'] };
    const integration = {
      id: '@a/b',
      displayName: 'Service',
      namespace: 'a_b',
      apis: [auth],
      connections: [],
    };
    const upload = createUploadTool(integration, auth, DEFAULT_SIDECAR_LIMITS)!;
    const uploadBrings = `${upload.definition.name}Service"tus"`;
    expect(fault('api_upload', lengthOfServed(upload) - uploadBrings.length)).toBeLessThan(TOLERATED);
  });
});
