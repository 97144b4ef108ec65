import type { Duplex, Readable } from 'node:stream';
import { Demultiplexer } from '#main/engines/docker/demultiplexer.ts';
import { openTestClient } from './engine-harness.ts';
import { search, searchText, type Needles } from './search.ts';

/** Searches what a command in a container prints. */
async function searchCommand(container: string, command: string, needles: Needles): Promise<string[]> {
  using client = await openTestClient();
  const execution = await client.docker
    .getContainer(container)
    .exec({ Cmd: ['sh', '-c', command], AttachStdout: true, AttachStderr: true });
  const connection: Duplex = await execution.start({ hijack: true, stdin: false });
  const outputs = new Demultiplexer();
  connection.pipe(outputs);
  outputs.stderr.resume();
  return search(outputs.stdout, needles);
}

/** Every place of a container that could hold something, each with what it holds. */
export async function searchContainer(id: string, needles: Needles): Promise<Record<string, string[]>> {
  using client = await openTestClient();
  const container = client.docker.getContainer(id);
  const inspection = await container.inspect();
  const volumes = await Promise.all(
    inspection.Mounts.map(({ Name = '' }) => client.docker.getVolume(Name).inspect()),
  );
  const image = await client.docker.getImage(inspection.Image).inspect();
  const folders = '/workspace /run/slipway /tmp /home /dev/shm';
  return {
    inspection: await searchText(JSON.stringify([inspection, volumes, image]), needles),
    fileSystem: await search((await container.export()) as Readable, needles),
    processes: await searchCommand(id, 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline', needles),
    memoryFolders: await searchCommand(id, `tar -cf - ${folders} 2>/dev/null`, needles),
  };
}
