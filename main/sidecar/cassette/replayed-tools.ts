import { CallToolResultSchema, ToolSchema } from '@modelcontextprotocol/sdk/types.js';
import type { SidecarReplay } from '#shared/protocol/cassette.ts';
import type { SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { TokenBudget } from '#shared/tools/token-budget.ts';
import { ResourceStore } from '../spill/resource-store.ts';
import { Spiller } from '../spill/spiller.ts';
import type { MainLink } from '../stdio.ts';
import type { SidecarTool } from '../tool-registry.ts';
import { StagedBodies } from '../uploads/staged-bodies.ts';
import type { ServedTools } from '../served-tools.ts';
import { callKey } from './call-key.ts';

/** The tools of services as they were recorded. Behind them is main's recording, and no service. */
export function createReplayedTools(
  { limits = DEFAULT_SIDECAR_LIMITS, model }: Pick<SidecarConfiguration, 'limits' | 'model'>,
  replay: SidecarReplay,
  main: Pick<MainLink, 'request'>,
): ServedTools {
  // Addressed as they were: the model may name the files that are called after them.
  const resources = new ResourceStore(replay.runId);
  const bodies = new StagedBodies(limits.maxRequestBodyBytes);
  const budget = new TokenBudget({
    inlineCapTokens: limits.inlineToolOutputTokens,
    runBudgetTokens: limits.runToolOutputBudgetTokens,
    ...model,
  });
  return {
    resources,
    bodies,
    spiller: new Spiller(resources, budget),
    tools: replay.tools.map((tool) => replayedTool(ToolSchema.parse(tool), resources, bodies, main)),
  };
}

function replayedTool(
  definition: SidecarTool['definition'],
  resources: ResourceStore,
  bodies: StagedBodies,
  main: Pick<MainLink, 'request'>,
): SidecarTool {
  return {
    definition,
    async call(input, context) {
      const key = callKey(definition.name, input, context, bodies);
      const answer = await main.request('recordedCall', { tool: definition.name, key }, context.signal);
      for (const { uri, data, ...resource } of answer.resources) {
        const bytes = Buffer.from(data, 'base64');
        resources.put({ ...resource, pieces: [bytes], size: bytes.length }, resources.idOf(uri));
      }
      return CallToolResultSchema.parse(answer.result);
    },
  };
}
