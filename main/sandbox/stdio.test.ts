import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Runs a script that has imported the program's `stdio` module. */
function runWith(program: string, script: string) {
  const module = join(import.meta.dirname, '..', program, 'stdio.ts');
  const source = `import { connectToMain, exitOnCrash } from ${JSON.stringify(module)};\n${script}`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
    input: '',
  });
}

describe.each(['sandbox', 'sidecar'])('the %s', (program) => {
  it('lets nothing but messages reach main, whatever a library prints', () => {
    const { stdout, stderr } = runWith(
      program,
      "connectToMain(); console.log('noise'); process.stdout.write('more noise'); console.error('error');",
    );
    expect(stdout).toBe('');
    expect(stderr).toBe('noise\nmore noiseerror\n');
  });

  it.each([
    ['throws', "setTimeout(() => { throw new Error('first\\nsecond'); });"],
    ['rejects', "void Promise.reject(new Error('first\\nsecond'));"],
  ])('ends with one line and an error when something %s that nobody foresaw', (_what, script) => {
    const { status, stderr } = runWith(program, `exitOnCrash(); ${script} setInterval(() => {}, 1000);`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Error: first \| second \| .*\n$/);
  });
});
