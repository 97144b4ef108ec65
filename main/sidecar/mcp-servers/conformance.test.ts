import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import expectedFailures from './conformance-expected-failures.json' with { type: 'json' };

const root = join(import.meta.dirname, '../../..');
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = join(root, 'main/sidecar/test-support/conformance-client.ts');

/**
 * Scenarios of the suite for clients. Those of authorization are not the sidecar's: main signs in, with the
 * person, and the sidecar is given the access (`main/connections/oauth`).
 */
const SCENARIOS = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'];

function run(scenario: string): Promise<boolean> {
  return new Promise((resolve) => {
    const command = `${process.execPath} ${client}`;
    execFile(
      process.execPath,
      [suite, 'client', '--command', command, '--scenario', scenario],
      { timeout: 60_000 },
      (error) => resolve(error === null),
    );
  });
}

describe('the client of MCP servers', () => {
  it.each(SCENARIOS)('keeps to the specification: %s', { timeout: 90_000 }, async (scenario) => {
    expect(await run(scenario)).toBe(!Object.hasOwn(expectedFailures, scenario));
  });
});
