import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const MODULES = ['openpyxl', 'PyPDF2'];

/**
 * Folder with a `python3` that has the packages of the sandbox's image; `undefined` where this machine has
 * none. In CI that is an error, since the programs would go untested. Call it at the top of a test file.
 */
export function findPython(): string | undefined {
  for (const command of ['python3', '/usr/bin/python3']) {
    try {
      const script = `import sys, ${MODULES.join(', ')}; print(sys.executable)`;
      const path = execFileSync(command, ['-c', script], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const folder = mkdtempSync(join(tmpdir(), 'slipway-python-'));
      afterAll(() => rmSync(folder, { recursive: true, force: true }));
      symlinkSync(path.trim(), join(folder, 'python3'));
      return folder;
    } catch {
      continue;
    }
  }
  const reason = `no python3 with ${MODULES.join(' and ')}: apt install python3-openpyxl python3-pypdf2`;
  if (process.env['CI']) throw new Error(`The walkthrough’s programs cannot be tested: ${reason}`);
  process.stderr.write(`The walkthrough’s programs are NOT tested on this machine: ${reason}\n`);
  return undefined;
}
