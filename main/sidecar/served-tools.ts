import type { ResourceStore } from './spill/resource-store.ts';
import type { Spiller } from './spill/spiller.ts';
import type { SidecarTool } from './tool-registry.ts';
import type { StagedBodies } from './uploads/staged-bodies.ts';

/** What a run with services has beside its runtime tools. */
export interface ServedTools {
  /** In the manifest's order. */
  readonly tools: readonly SidecarTool[];
  readonly resources: ResourceStore;
  readonly bodies: StagedBodies;
  /** Keeps what other tools say within the same budget. */
  readonly spiller: Spiller;
}
