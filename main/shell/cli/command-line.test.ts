import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runWords } from '#test/support/run-command-line.ts';
import { terminalText } from '../terminal-text.ts';
import { OutputStream } from './output-stream.ts';

describe('usage errors', () => {
  test('have exit code 2, say what is wrong and leave the standard output empty', async () => {
    for (const [words, expected] of [
      [['run', 'x', '--jsn'], '--json'],
      [['run'], "missing required argument 'agent'"],
      [['rnu', 'x'], 'run'],
      [['run', 'x', '--timeout', 'soon'], '--timeout takes seconds'],
      [['run', 'x', '--integrations', 'remote'], 'Allowed choices are local, none'],
      [
        ['run', 'x', '--integrations', 'none', '--connection', '@a/b=c'],
        '--integrations none uses no account',
      ],
      [['run', 'x', '--file', '/no/such.csv'], 'no such file: /no/such.csv'],
      [['run', 'x', '--input', '/no/such.json'], 'no such file: /no/such.json'],
      [['agents', 'extra'], 'too many arguments'],
      [['serve', '--port', '99999'], '--port takes a number'],
    ] as const) {
      const { code, output, errors } = await runWords(...words);
      expect({ words, code, output }).toEqual({ words, code: 2, output: '' });
      expect(errors).toContain(expected);
      expect(errors).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    }
  });

  test('end the JSON lines of a run with a result all the same', async () => {
    const { code, output } = await runWords('run', 'x', '--json', '--file', '/no/such.csv');
    expect(code).toBe(2);
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toMatchObject([
      { type: 'result', status: 'refused', problem: { code: 'input_unreadable' } },
    ]);
  });
});

test('help and version go to the standard output, with the exit codes', async () => {
  expect(await runWords('--version')).toMatchObject({ code: 0, output: '1.2.3\n', errors: '' });
  const help = await runWords('run', '--help');
  expect(help.code).toBe(0);
  expect(help.output).toMatch(/124\s+the run exceeded its time limit/);
});

test('a reader that goes away is noticed and nothing waits for it', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  const output = new OutputStream(stream);
  const waiting = output.line('more than one byte');
  stream.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  await waiting;
  expect(output.broken.aborted).toBe(true);
  await output.line('again');
  await output.flush();
});

test('what a model says cannot drive the terminal', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(terminalText(text)).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]/);
    }),
  );
  expect(terminalText('a\u001B[31mred\tb\nc')).toBe('a\uFFFD[31mred\tb\nc');
});
