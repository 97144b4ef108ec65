import { describe, expect, it } from 'vitest';
import { play, type Played } from '#test/support/models/play.ts';
import { findPython } from '#test/support/models/python.ts';
import { readSample } from '#test/support/models/samples.ts';

const AGENT = '@slipway/fix-script';
const pythonFolder = findPython() ?? '';
const sample = readSample(AGENT);

async function fixed(script: string, tests?: string, name = 'thing.py'): Promise<Played> {
  const played = await play({
    agentId: AGENT,
    pythonFolder,
    files: [
      { name, field: 'script', bytes: script },
      ...(tests === undefined ? [] : [{ name: 'test_thing.py', field: 'tests', bytes: tests }]),
    ],
    outputSchema: sample.outputSchema,
  });
  expect(sample.violations(played.output)).toEqual([]);
  return played;
}

const DOUBLE_TEST = 'from thing import double\n\ndef test_double():\n    assert double(2) == 4\n';

describe.skipIf(pythonFolder === '')('the walkthrough of @slipway/fix-script', () => {
  it('finds the three mistakes of its own example and proves them mended', async () => {
    const played = await play({
      agentId: AGENT,
      pythonFolder,
      files: sample.exampleFiles,
      outputSchema: sample.outputSchema,
    });
    expect(sample.violations(played.output)).toEqual([]);
    expect(played.output).toMatchObject({ status: 'fixed', tests_passed: 6, tests_failed: 0, remaining: [] });
    expect(played.output?.['changes']).toHaveLength(3);
    expect(played.read('outputs/fixed.py')).toContain('range(len(readings) - width + 1)');
    expect(played.read('outputs/changes.diff')).toMatch(/^--- tides.py\n\+\+\+ fixed.py\n/);
    const [original] = sample.exampleFiles;
    expect(played.read('documents/tides.py')).toBe(original?.bytes.toString());
  });

  it.each([
    ['a missing colon', 'def double(n)\n    return n * 2\n'],
    ['a missing colon before a remark', 'def double(n)  # twice\n    return n * 2\n'],
    ['a bracket that is never closed', 'def double(n):\n    return max([n * 2, 0]\n'],
    ['a missing import', '"""Doubles."""\n\ndef double(n):\n    return math.floor(n * 2)\n'],
    ['a missing name of a module', 'def double(n):\n    return reduce(lambda a, b: a + b, [n, n])\n'],
    ['a misspelt name', 'def double(number):\n    return nunber * 2\n'],
    ['tabs among blanks', 'def double(n):\n    if n:\n\treturn n * 2\n    return 0\n'],
    ['Windows line ends', 'def double(n)\r\n    return n * 2\r\n'],
  ])('mends %s', async (_, script) => {
    expect((await fixed(script, DOUBLE_TEST)).output).toMatchObject({
      status: 'fixed',
      tests_passed: 1,
      tests_failed: 0,
    });
  });

  it('tries again when its first guess was wrong, and leaves nothing of the wrong one', async () => {
    const script =
      'def total(n):\n    sum = 0\n    for i in range(1, n):\n        sum += i\n    return sum\n';
    const played = await fixed(
      script,
      'from thing import total\n\ndef test_total():\n    assert total(3) == 6\n',
    );
    expect(played.said.join('\n')).toContain('That was not it.');
    expect(played.output).toMatchObject({ status: 'fixed', changes: [expect.stringContaining('line 3')] });
    expect(played.read('outputs/fixed.py')).toBe(script.replace('range(1, n)', 'range(1, n + 1)'));
  });

  it('gives up on tests that never end', async () => {
    const played = await fixed('def double(n):\n    while True:\n        pass\n', DOUBLE_TEST);
    expect(played.output).toMatchObject({
      status: 'not_fixed',
      message: expect.stringContaining('to an end'),
    });
  }, 60_000);

  it('does not call fixed what is not, and hands over nothing then', async () => {
    const played = await fixed('def double(n):\n    return n * 3\n', DOUBLE_TEST);
    expect(played.output).toMatchObject({
      status: 'not_fixed',
      tests_failed: 1,
      changes: [],
      script: null,
      diff: null,
      remaining: [expect.stringContaining('test_double')],
    });
    expect(() => played.read('outputs/fixed.py')).toThrow('ENOENT');
    expect(played.read('work/thing.py')).toBe('def double(n):\n    return n * 3\n');
  });

  it('says what is left when it could mend a part only', async () => {
    const script = 'def half(n):\n    return n // 2\n\ndef double(n):\n    return n * 3\n';
    const tests = `from thing import double, half\n\ndef test_half():\n    assert half(3) == 1.5\n\ndef test_double():\n    assert double(2) == 4\n`;
    const played = await fixed(script, tests);
    expect(played.output).toMatchObject({ status: 'partly_fixed', tests_passed: 1, tests_failed: 1 });
    expect(played.read('outputs/fixed.py')).toContain('n / 2');
  });

  it('leaves a script that passes as it is', async () => {
    const played = await fixed('def double(n):\n    return n * 2\n', DOUBLE_TEST);
    expect(played.output).toMatchObject({ status: 'already_passing', script: null });
    expect(played.calls.map(({ tool }) => tool)).not.toContain('edit');
  });

  it('promises nothing without tests', async () => {
    expect((await fixed('def double(n):\n    return n * 2\n')).output).toMatchObject({
      status: 'no_tests',
      tests_passed: 0,
    });
    expect((await fixed('def double(n)\n    return n * 2\n')).output).toMatchObject({
      status: 'fixed',
      message: expect.stringContaining('no tests'),
    });
  });

  it('guards against nothing, with the exception a test asks for', async () => {
    const script = 'def first(items):\n    return items[0]\n';
    const tests =
      'import unittest\nfrom thing import first\n\nclass T(unittest.TestCase):\n    def test_empty(self):\n        with self.assertRaises(ValueError):\n            first([])\n';
    const played = await fixed(script, tests);
    expect(played.output).toMatchObject({ status: 'fixed' });
    expect(played.read('outputs/fixed.py')).toContain('raise ValueError');
  });
});
