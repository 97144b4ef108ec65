import { join } from 'node:path';
import { openLibraries } from '#test/support/open-libraries.ts';
import { agentFiles } from '#test/support/test-packages.ts';

/** Packages of the large library. */
export const MANY = 1_000;

/** The samples that come with the app. */
export function samplesIn(root: string): string {
  return join(root, 'main', 'library', 'samples');
}

/** Fills a data folder with a library of {@link MANY} published packages. */
export async function fillLibrary(root: string, dataDirectory: string): Promise<void> {
  await using libraries = await openLibraries({ samplesFolder: samplesIn(root), dataDirectory });
  for (let index = 0; index < MANY; index += 1) {
    const name = `@bench/package-${index}`;
    const more = { keywords: ['bench', `group-${index % 20}`], description: 'One of a thousand.' };
    const changes = [...agentFiles(name, more)].map(([path, content]) => ({ path, content }));
    await libraries.packages.save(name, changes, { checkOnly: false });
    await libraries.packages.publish(name);
  }
}
