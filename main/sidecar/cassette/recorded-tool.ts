import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { MAX_RECORDED_RESOURCE_BYTES, type RecordedToolCall } from '#shared/protocol/cassette.ts';
import type { ResourceStore, StoredResource } from '../spill/resource-store.ts';
import type { MainLink } from '../stdio.ts';
import type { SidecarTool } from '../tool-registry.ts';
import type { StagedBodies } from '../uploads/staged-bodies.ts';
import { callKey } from './call-key.ts';

/** The same tool, each answer of which main is told of before the agent has it. */
export function recordedTool(
  tool: SidecarTool,
  { resources, bodies }: { readonly resources: ResourceStore; readonly bodies: StagedBodies },
  main: Pick<MainLink, 'notify'>,
): SidecarTool {
  const { name } = tool.definition;
  return {
    definition: tool.definition,
    async call(input, context) {
      // Before the call, which takes its body away.
      const key = callKey(name, input, context, bodies);
      const result = await tool.call(input, context);
      await main.notify('toolRecorded', { call: recorded(name, key, result, resources) });
      return result;
    },
  };
}

function recorded(
  tool: string,
  key: string,
  result: CallToolResult,
  resources: ResourceStore,
): RecordedToolCall {
  const linked = linkedResources(result, resources);
  const size = linked.reduce((sum, resource) => sum + resource.size, 0);
  if (size > MAX_RECORDED_RESOURCE_BYTES) {
    return { tool, key, answer: { result, resources: [] }, omittedBytes: size };
  }
  return {
    tool,
    key,
    answer: {
      result,
      resources: linked.map(({ uri, name, mediaType, isText, pieces }) => ({
        uri,
        name,
        mediaType,
        isText,
        data: Buffer.concat(pieces).toString('base64'),
      })),
    },
  };
}

function linkedResources({ content }: CallToolResult, resources: ResourceStore): StoredResource[] {
  return content.flatMap((block) => {
    const resource = block.type === 'resource_link' ? resources.find(block.uri) : undefined;
    return resource === undefined ? [] : [resource];
  });
}
