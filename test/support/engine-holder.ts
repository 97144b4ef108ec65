/** Run as a process of its own: starts a container that waits for the end of its input, and says its name. */
import { randomUUID } from 'node:crypto';
import { TestBench, TestInstances, openTestEngine } from './engine-harness.ts';

const [image = '', hostId = ''] = process.argv.slice(2);
const engine = await openTestEngine({ instances: new TestInstances(hostId, randomUUID()) });
const bench = new TestBench(engine, image);
const { container } = await bench.run(() => {
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
}, undefined);
process.stdout.write(`${container.name}\n`);
