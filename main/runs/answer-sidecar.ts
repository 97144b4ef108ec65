import { ProblemError } from '#shared/problem.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import type { OutputCollector } from './output-collector.ts';
import type { SidecarConnection } from './pair.ts';
import type { IntegrationServices } from './run-integrations.ts';
import type { RunRecorder } from './run-recorder.ts';

export interface SidecarAnswers {
  readonly recorder: RunRecorder;
  readonly integrations: Pick<IntegrationServices, 'connections' | 'toolReviews'>;
  /** The integrations of the run: it is answered for these, and for no other. */
  readonly plan: readonly RunIntegration[];
  readonly outputs: Pick<OutputCollector, 'publish'>;
  /** Fires when the run is ended. */
  readonly ended: AbortSignal;
}

/** Answers what the sidecar of a run asks main for: files, credentials, what tools may be offered. */
export function answerSidecar(
  peer: SidecarConnection['peer'],
  { recorder, integrations, plan, outputs, ended }: SidecarAnswers,
): Disposable {
  const { connections, toolReviews } = integrations;
  const bound = new Set(plan.flatMap((integration) => integration.connections.map(({ id }) => id)));
  peer.handle('publishFile', async ({ path: source, name, presentation }, signal) => {
    const published = await outputs.publish(source, name, signal);
    recorder.append({ type: 'file.published', path: published.path, isPrimary: presentation === 'primary' });
    return published;
  });
  peer.handle('credentials', ({ connectionId, reason }, signal) => {
    if (!bound.has(connectionId)) throw foreignConnection();
    return connections.credentials(connectionId, reason, AbortSignal.any([signal, ended]));
  });
  peer.handle('reviewTools', ({ integrationId, listings }) => {
    const server = plan.find(({ id }) => id === integrationId)?.server;
    if (server === undefined) throw foreignConnection();
    return Promise.resolve({ withheld: [...toolReviews.review(integrationId, server, listings)] });
  });
  const stop = connections.onCredentialChange((connectionId) => {
    if (bound.has(connectionId)) void peer.notify('credentialsChanged', { connectionId });
  });
  return { [Symbol.dispose]: stop };
}

function foreignConnection(): ProblemError {
  return new ProblemError({
    code: 'connection_unknown',
    title: 'Not a connection of this run',
    detail: 'The run has no such connection.',
  });
}
