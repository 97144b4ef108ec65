import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** Version of the app in a checkout. @param root Folder of its package.json. */
export function readVersion(root: string): string {
  return packageSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).version;
}
