import { buildAll } from './lib/bundles.ts';

await buildAll({ force: process.argv.includes('--force'), log: (line) => process.stderr.write(`${line}\n`) });
