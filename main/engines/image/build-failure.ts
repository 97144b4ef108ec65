import { ProblemError } from '#shared/problem.ts';

interface Diagnosis {
  readonly words: RegExp;
  readonly detail: string;
  readonly action: string;
}

/** Common causes of a failed build, the more specific first, by what engines and apt say. */
const DIAGNOSES: readonly Diagnosis[] = [
  {
    words: /no space left on device|disk quota exceeded|You don't have enough free space/i,
    detail: "The engine's disk is full.",
    action: 'Free some space, for example with "docker system prune", and try again.',
  },
  {
    words: /x509|certificate signed by unknown authority|self.signed certificate|certificate verif/i,
    detail:
      'The engine does not trust the certificate it was shown, as behind a proxy that inspects traffic.',
    action: "Add the proxy's certificate authority to Docker (and restart Docker), then try again.",
  },
  {
    words: /toomanyrequests|pull rate limit/i,
    detail: 'The image registry takes no more requests from this address for now.',
    action: 'Sign in with "docker login" or wait an hour, then try again.',
  },
  {
    words: /pull access denied|unauthorized: |manifest (for .* )?(not found|unknown)/i,
    detail: 'The image registry does not give out a base image.',
    action: 'Run "docker pull debian:bookworm-slim" to see why, then try again.',
  },
  {
    words:
      /registry-1\.docker\.io|Client\.Timeout exceeded while awaiting|dial tcp|TLS handshake timeout|server misbehaving|short-name/i,
    detail: 'The engine cannot reach the image registry to fetch a base image.',
    action:
      "Check the network and Docker's proxy settings. Where no registry can be reached, make the base images with scripts/base-images.sh.",
  },
  {
    words:
      /Temporary failure resolving|Could not resolve|Failed to fetch|Unable to (fetch|connect)|Unable to locate package|Network is unreachable|Could not connect/i,
    detail: 'Debian packages could not be fetched from inside the build.',
    action: "Check the network, and Docker's proxy settings if there is a proxy, then try again.",
  },
  {
    words: /cannot allocate memory|signal: killed|exit code: 137|returned a non-zero code: 137/i,
    detail: 'The build ran out of memory.',
    action: "Give Docker more memory in Docker's own settings, then try again.",
  },
];

/** The problem of a build that failed: the likely cause and the build's last lines. */
export function imageBuildFailed(error: string, lines: readonly string[], cause?: unknown): ProblemError {
  const text = [...lines, error].join('\n');
  const diagnosis = DIAGNOSES.find(({ words }) => words.test(text));
  return new ProblemError(
    {
      code: 'image_build_failed',
      title: 'The sandbox image could not be built',
      detail: diagnosis ? `${diagnosis.detail} The engine said: ${error}` : `The engine said: ${error}`,
      action: diagnosis?.action ?? 'Read the last lines of the build below, then try again.',
      context: [...lines],
    },
    { cause },
  );
}
