import type { SidecarEvent } from '#shared/events/run-event.ts';
import type { RuntimeTool, SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import type { MainLink } from '../stdio.ts';
import type { SidecarTool } from '../tool-registry.ts';
import { createLogTool } from './log.ts';
import { createNoteTool } from './note.ts';
import { createOutputTool } from './output.ts';
import { createPinTool } from './pin.ts';
import { createPublishFileTool } from './publish-file.ts';
import { createRecallMemoryTool } from './recall-memory.ts';
import { createRunHistoryTool } from './run-history.ts';

/**
 * The tools of our own: those the author chose, in that order and each once, then the two that read
 * earlier runs and are always there.
 * @throws ProblemError `output_schema_invalid`
 */
export function createRuntimeTools(
  configuration: Pick<SidecarConfiguration, 'runtimeTools' | 'outputSchema'>,
  peer: MainLink,
): SidecarTool[] {
  // Waits until main has it in its pipe, so that no answer overtakes what it reports.
  const emit = (event: SidecarEvent) => peer.notify('event', { event });
  const create: Record<RuntimeTool, () => SidecarTool> = {
    output: () => createOutputTool(configuration.outputSchema, emit),
    log: () => createLogTool(emit),
    note: () => createNoteTool(peer),
    pin: () => createPinTool(peer),
    publish_file: () => createPublishFileTool(peer),
  };
  return [
    ...[...new Set(configuration.runtimeTools)].map((id) => create[id]()),
    createRunHistoryTool(peer),
    createRecallMemoryTool(peer),
  ];
}
