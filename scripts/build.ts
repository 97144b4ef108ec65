import { parseArgs } from 'node:util';
import { ALL_TARGETS } from './lib/build-state.ts';
import { buildAll } from './lib/bundles.ts';

const { values } = parseArgs({
  options: { force: { type: 'boolean', default: false }, targets: { type: 'string' } },
});
const wanted = values.targets?.split(',');
await buildAll({
  ...(wanted && { targets: ALL_TARGETS.filter((target) => wanted.includes(target)) }),
  force: values.force,
  log: (line) => process.stderr.write(`${line}\n`),
});
