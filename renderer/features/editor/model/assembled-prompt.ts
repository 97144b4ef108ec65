import { likelyDisplayName } from '#shared/manifest/identity.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { currentRuntimeTool, isServedRuntimeTool } from '#shared/manifest/runtime-tools.ts';
import { WORKSPACE_BYTES, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';
import { platformPrompt } from '#shared/runs/system-prompt.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { NamingError } from '#shared/tools/tool-names.ts';
import { packageOf, type EditorLibrary } from '../ports.ts';
import { at, choiceOf, rangesOf, runtimeToolsOf } from './agent-value.ts';
import type { ManifestValue } from './manifest-document.ts';

/** A stretch of the system prompt, by who wrote it. */
export interface PromptStretch {
  readonly by: 'platform' | 'author' | 'pi';
  readonly text: string;
}

/**
 * The whole system prompt of a run of the agent as it stands, stretch by stretch; joined they are what the
 * model gets once its services are connected. A manifest with faults, of which no run is made, is read as
 * far as it can be.
 */
export function assemblePrompt(
  manifest: ManifestValue,
  prompt: string,
  library: EditorLibrary,
): readonly PromptStretch[] {
  const { timeout, name, display_name: displayName } = manifest;
  const agentName =
    typeof displayName === 'string' ? displayName : typeof name === 'string' ? likelyDisplayName(name) : '';
  const limit = typeof timeout === 'number' ? timeout : DEFAULT_TIMEOUT_SECONDS;
  const served = runtimeToolsOf(manifest).flatMap((id) => currentRuntimeTool(id) ?? []);
  return [
    {
      by: 'platform',
      text: platformPrompt({
        agentName,
        timeoutSeconds: Math.min(limit, MAX_TIMEOUT_SECONDS),
        workspaceBytes: WORKSPACE_BYTES,
        runtimeTools: served.filter(isServedRuntimeTool),
        hasOutputSchema: hasOutput(manifest),
        services: servicesOf(manifest, library),
      }),
    },
    { by: 'author', text: prompt },
    { by: 'pi', text: `\n\n<cwd>\n${WORKSPACE_PATH}\n</cwd>` },
  ];
}

/** An output schema that names no field asks for nothing. */
function hasOutput(manifest: ManifestValue): boolean {
  const schema = at(manifest, ['output', 'schema']);
  return isRecord(schema) && membersOf(schema['properties']).length > 0;
}

/** The services a run has calls for, by the plan that is made for a run. */
function servicesOf(manifest: ManifestValue, library: EditorLibrary): string[] {
  const planned = rangesOf(manifest, 'integrations').flatMap(([name]) => {
    const integration = packageOf(library, name, 'integration')?.manifest;
    if (integration?.type !== 'integration') return [];
    return [{ integration, choice: choiceOf(manifest, name), connections: [] }];
  });
  try {
    return planRunIntegrations(planned).flatMap(({ apis, displayName }) =>
      apis.length > 0 ? [displayName] : [],
    );
  } catch (error) {
    // A name that gives no namespace is a finding of the validator.
    if (error instanceof NamingError) return [];
    throw error;
  }
}
