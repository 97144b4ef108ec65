import type { EndpointAttempt, EngineReport } from '#shared/engines/engine-report.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';

/** What there is to choose from, and what the person wants. */
export interface Choices {
  readonly preference: EngineReport['preference'];
  readonly consented: boolean;
  readonly dockerAnswers: boolean;
  readonly processAvailable: boolean;
  readonly attempts: readonly EndpointAttempt[];
  readonly platform: NodeJS.Platform;
}

export type Selection =
  | { readonly state: 'ready'; readonly kind: 'docker' | 'process' }
  | { readonly state: 'needs_consent' | 'missing'; readonly problem: Problem };

/** Chooses where to run: Docker where one answers, processes only where the person wants or has nothing else. */
export function select(choices: Choices): Selection {
  const { preference, consented, dockerAnswers, processAvailable } = choices;
  if (preference !== 'process' && dockerAnswers) return { state: 'ready', kind: 'docker' };
  if (preference === 'docker' || !processAvailable) return { state: 'missing', problem: noEngine(choices) };
  if (consented) return { state: 'ready', kind: 'process' };
  return { state: 'needs_consent', problem: consentRequired() };
}

/** The problem of running without isolation before the person agreed to it. */
export function consentRequired(): Problem {
  return {
    code: 'consent_required',
    title: 'Running without isolation needs your consent',
    detail:
      'Without Docker, agents run as programs of your own on this computer. They could read and change your files and use your network.',
    action: 'Start Docker, or agree in the engine settings.',
  };
}

/** Why a local MCP server does not run as a process of the author's own. */
export function serverNotIsolated(): ProblemError {
  return new ProblemError({
    code: 'local_server_not_isolated',
    title: 'Local MCP servers need Docker',
    detail:
      'Agents run as processes here, and an MCP server of a package would run as a program of your own, with your files and your network. Slipway does not start it unless INTEGRATION_RUNTIME_ADAPTER=docker.',
    action:
      'Start Docker and choose it in the engine settings. To keep agents as processes and only their servers in Docker, set INTEGRATION_RUNTIME_ADAPTER=docker and start Slipway again.',
  });
}

function noEngine({ preference, attempts, platform }: Choices): Problem {
  if (preference === 'process')
    return {
      code: 'no_engine',
      title: 'Processes cannot be used',
      detail: 'Running agents as processes needs a Node program beside the app, and there is none.',
      action: 'Choose Docker in the engine settings.',
    };
  const refused = attempts.find(({ outcome }) => outcome === 'refused' || outcome === 'timed_out');
  return {
    code: 'no_engine',
    title: 'No Docker engine answers',
    detail: refused
      ? `${refused.origin} (${refused.address}): ${refused.detail}`
      : 'No Docker or compatible engine was found on this computer.',
    action: refused ? 'Slipway goes on by itself as soon as the engine answers.' : installAdvice(platform),
    context: attempts.map(({ origin, address, detail }) => `${origin} (${address}): ${detail}`),
  };
}

function installAdvice(platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return 'Install Docker Desktop, OrbStack, Colima or Podman, and start it.';
    case 'win32':
      return 'Install Docker Desktop or Podman Desktop, and start it.';
    default:
      return 'Install Docker Engine or Podman, for example with "sudo apt install docker.io", and start it.';
  }
}
