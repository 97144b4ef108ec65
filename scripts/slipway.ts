import { join } from 'node:path';
import { buildApart } from './lib/build-apart.ts';
import { root } from './lib/build-state.ts';

// The terminal needs no window; `serve` brings its own renderer.
await buildApart(process.argv[2] === 'serve' ? ['programs', 'cli', 'renderer'] : ['programs', 'cli']);
process.argv.splice(1, 1, join(root, 'out', 'cli', 'slipway.js'));
await import(join(root, 'out', 'cli', 'slipway.js'));
