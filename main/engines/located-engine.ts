import type { EndpointAttempt, ImageStatus } from '#shared/engines/engine-report.ts';
import type { Engine } from './engine.ts';

/** An engine that can be used, and what the app says of it. */
export interface LocatedEngine {
  readonly engine: Engine;
  readonly name: string;
  readonly version: string;
  /** Where it is; without credentials. */
  readonly address: string;
  /** Why this one, in a sentence. */
  readonly reason: string;
  /** What a probe of its isolation depends on, besides the image: another value is probed anew. */
  isolationKey(): string;
  /** Whether the image is there, without making it. */
  inspectImage(signal: AbortSignal): Promise<ImageStatus>;
}

/** Looks for engines; the directory decides which to use. */
export interface EngineLocator {
  /** Looks for Docker. Gives `current` back when it is still the one to use. */
  locateDocker(
    current: LocatedEngine | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly located: LocatedEngine | undefined; readonly attempts: EndpointAttempt[] }>;
  /** Whether processes could serve, and with which wrapper. */
  describeProcess(): Promise<{ readonly available: boolean; readonly bubblewrap: boolean }>;
  openProcess(): Promise<LocatedEngine>;
}
