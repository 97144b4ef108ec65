import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL } from '#main/engines/labels.ts';
import { openTestClient } from '../support/engine-harness.ts';

/** Names of the containers and volumes that the app's instances have in the engine, however they stand. */
export async function engineThings(instanceIds: readonly string[]): Promise<string[]> {
  using client = await openTestClient();
  const [containers, { Volumes: volumes }] = await Promise.all([
    client.docker.listContainers({ all: true, filters: { label: [LABEL.instance] } }),
    client.docker.listVolumes({ filters: { label: [LABEL.instance] } }),
  ]);
  const isOwned = (labels: Record<string, string> | null | undefined) =>
    instanceIds.includes(labels?.[LABEL.instance] ?? '');
  return [
    ...containers.filter(({ Labels }) => isOwned(Labels)).map(({ Id }) => `container ${Id}`),
    ...volumes.filter(({ Labels }) => isOwned(Labels)).map(({ Name }) => `volume ${Name}`),
  ];
}

/** Names of the containers that local MCP servers of the app's instances run in. */
export async function runnersOf(instanceIds: readonly string[]): Promise<string[]> {
  using client = await openTestClient();
  const containers = await client.docker.listContainers({ all: true, filters: { label: [LABEL.instance] } });
  return containers
    .filter(({ Labels }) => instanceIds.includes(Labels[LABEL.instance] ?? ''))
    .flatMap(({ Names }) => Names)
    .filter((name) => name.startsWith('/slipway-runner-'));
}

/** Removes them; what an app that was killed left must not outlast its test. */
export async function removeEngineThings(instanceIds: readonly string[]): Promise<string[]> {
  const things = await engineThings(instanceIds);
  if (things.length === 0) return [];
  using client = await openTestClient();
  for (const thing of things) {
    const [kind, name = ''] = thing.split(' ');
    const removal =
      kind === 'volume'
        ? client.docker.getVolume(name).remove({ force: true })
        : client.docker.getContainer(name).remove({ force: true });
    await removal.catch(() => undefined);
  }
  return things;
}

/** Instances that have registered in a state folder. */
export function instancesIn(stateFolder: string): string[] {
  try {
    return readdirSync(join(stateFolder, 'slipway', 'instances')).map((name) => name.replace(/\.json$/, ''));
  } catch {
    return [];
  }
}
