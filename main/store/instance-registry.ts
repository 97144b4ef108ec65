/** Tells which app instances of this machine are alive, so that what a dead one left can be cleared. */
export interface InstanceRegistry extends Disposable {
  /** This process; new at each start. */
  readonly instanceId: string;
  /** This person on this machine, as far as one registry reaches; the same at each start. */
  readonly hostId: string;
  /** Whether the instance is this one or another that still runs. */
  isLive(instanceId: string): boolean;
}
