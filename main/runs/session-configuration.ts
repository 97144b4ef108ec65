import type { SidecarNetwork } from '#shared/protocol/integrations.ts';
import { EGRESS_SOCKET_PATH, SOCKET_PATH, WORKSPACE_BYTES, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import type { SandboxConfiguration } from '#shared/protocol/sandbox.ts';
import type { SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import { systemPrompt, type PromptMemory } from '#shared/runs/system-prompt.ts';
import type { Pair } from './pair.ts';
import { callsServices } from './run-integrations.ts';
import type { SessionRequest } from './session-request.ts';

/** Sandbox tools every agent has so far (the page: Sandbox tools). */
const SANDBOX_TOOLS: SandboxConfiguration['sandboxTools'] = [
  'read',
  'write',
  'edit',
  'bash',
  'grep',
  'find',
  'ls',
];
/** Bytes of a tool's result that the record shows. */
const SHOWN_RESULT_BYTES = 32 * 1024;

/** Where a run's two programs are, and the secret that only they share. */
export interface SessionPlace {
  readonly runId: string;
  readonly pair: Pair;
  readonly token: string;
}

/** What the sandbox program is told to play the loop. */
export function sandboxConfiguration(
  { agent, model, serviceNames, serviceNotes, skills, replay }: SessionRequest,
  { runId, pair: { sandbox }, token }: SessionPlace,
  memory: PromptMemory,
): SandboxConfiguration {
  const { description } = model;
  return {
    runId,
    workspace: sandbox.container.resolve(WORKSPACE_PATH),
    systemPrompt:
      replay?.systemPrompt ??
      systemPrompt({
        agentName: agent.displayName,
        agentPrompt: agent.promptText,
        timeoutSeconds: agent.timeoutSeconds,
        workspaceBytes: WORKSPACE_BYTES,
        runtimeTools: agent.runtimeTools,
        hasOutputSchema: agent.outputSchema !== undefined,
        services: serviceNames,
        serviceNotes,
        memory,
      }),
    model: {
      api: description.api,
      id: description.modelId,
      name: description.displayName,
      contextWindow: description.contextWindow,
      maxTokens: description.maxTokens,
      reasoning: description.reasoning,
      images: description.images,
      ...(description.clientOptions && { clientOptions: description.clientOptions }),
    },
    sidecar: { socketPath: sandbox.container.resolve(SOCKET_PATH), token },
    sandboxTools: SANDBOX_TOOLS,
    skills: [...skills],
    shownResultBytes: SHOWN_RESULT_BYTES,
  };
}

/**
 * What the sidecar is told to serve the run.
 * @param network the author's way to the internet, read only where the run calls services
 */
export function sidecarConfiguration(
  { agent, model, integrations, replay }: SessionRequest,
  { runId, pair: { sidecar }, token }: SessionPlace,
  network: () => SidecarNetwork,
): SidecarConfiguration {
  const { contextWindow, maxTokens, images } = model.description;
  const { limits, plan, internalHosts, servers } = integrations;
  return {
    runId,
    token,
    socketPath: sidecar.container.resolve(SOCKET_PATH),
    runtimeTools: [...agent.runtimeTools],
    limits,
    ...(agent.outputSchema && { outputSchema: agent.outputSchema }),
    ...(servers.length > 0 && { egressSocketPath: sidecar.container.resolve(EGRESS_SOCKET_PATH) }),
    ...(callsServices(integrations) && {
      integrations: [...plan],
      network: { ...network(), internalHosts: [...internalHosts] },
      model: { contextWindow, maxTokens, images },
    }),
    ...(replay && {
      replay: { runId: replay.runId, tools: [...replay.services] },
      model: { contextWindow, maxTokens, images },
    }),
  };
}
