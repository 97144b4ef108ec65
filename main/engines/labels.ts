import type { OwnerLabels } from './engine.ts';

/** Names of the labels on everything an engine makes for the app. */
export const LABEL = {
  instance: 'app.slipway.instance',
  host: 'app.slipway.host',
  run: 'app.slipway.run',
  role: 'app.slipway.role',
} as const;

/** The app instance that makes things, and the machine it runs on. */
export interface Maker {
  readonly instanceId: string;
  readonly hostId: string;
}

/** Labels that tell a later start whose something was. */
export function ownerLabels(maker: Maker, owner: OwnerLabels): Record<string, string> {
  return {
    [LABEL.instance]: maker.instanceId,
    [LABEL.host]: maker.hostId,
    [LABEL.run]: owner.runId,
  };
}

/** Decides what a reaper takes: what no live instance owns, and what this instance made when asked. */
export function isLeftOver(
  labels: Readonly<Record<string, string>>,
  maker: Maker & { isLive(instanceId: string): boolean },
  takesOwn: boolean,
): boolean {
  // Another machine may use the same engine; only it knows which of its instances live.
  if (labels[LABEL.host] !== maker.hostId) return false;
  const instance = labels[LABEL.instance];
  if (instance === undefined) return false;
  if (instance === maker.instanceId) return takesOwn;
  return !maker.isLive(instance);
}
