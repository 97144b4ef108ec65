import { join } from 'node:path';
import { buildAll, root } from './lib/bundles.ts';

// The terminal needs no window; `serve` brings its own renderer.
const targets =
  process.argv[2] === 'serve' ? (['programs', 'cli', 'renderer'] as const) : (['programs', 'cli'] as const);
await buildAll({ targets, log: (line) => process.stderr.write(`${line}\n`) });
process.argv.splice(1, 1, join(root, 'out', 'cli', 'slipway.js'));
await import(join(root, 'out', 'cli', 'slipway.js'));
