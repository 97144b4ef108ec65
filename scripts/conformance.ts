import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './lib/build-state.ts';

/** Holds the sidecar's MCP server and its client against MCP's own conformance suite. */
const files = ['main/sidecar/conformance.test.ts', 'main/sidecar/mcp-servers/conformance.test.ts'];
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'unit', ...files],
  { cwd: root, stdio: 'inherit' },
);
process.exit(status ?? 1);
