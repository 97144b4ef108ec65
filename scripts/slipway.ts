import { join } from 'node:path';
import { buildAll, root } from './lib/bundles.ts';

await buildAll({ log: (line) => process.stderr.write(`${line}\n`) });
process.argv.splice(1, 1, join(root, 'out', 'cli', 'slipway.js'));
await import(join(root, 'out', 'cli', 'slipway.js'));
