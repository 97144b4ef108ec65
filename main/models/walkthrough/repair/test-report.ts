/** One test that failed, or the script that could not be loaded. */
export interface Failure {
  /** Empty where the script or its tests could not be loaded. */
  readonly test: string;
  /** Name of the exception, such as `AssertionError`. */
  readonly error: string;
  readonly message: string;
  /** Places it came through, outermost first. */
  readonly frames: readonly Frame[];
  /** The script's functions that the test calls. */
  readonly calls: readonly string[];
  /** Exceptions that the test waits for. */
  readonly expects: readonly string[];
}

export interface Frame {
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly source: string;
}

/** What the test runner printed. */
export interface TestReport {
  readonly passed: readonly string[];
  readonly failures: readonly Failure[];
  /** The script or its tests could not be loaded. */
  readonly isBroken: boolean;
  readonly hasTests: boolean;
}

/** Reads the output of the runner; `undefined` where it was cut short, such as by a loop without end. */
export function parseTestReport(output: string): TestReport | undefined {
  const lines = output.split('\n');
  const failures = lines.flatMap((line, index) => {
    const match = /^(?:FAIL (\S+)|BROKEN) (\w+): ?(.*)$/.exec(line);
    if (!match) return [];
    const [, test = '', error = '', message = ''] = match;
    return [{ test, error, message, ...readDetails(lines.slice(index + 1)) }];
  });
  const passed = lines.flatMap((line) => /^ok (\S+)$/.exec(line)?.[1] ?? []);
  const isBroken = failures.some(({ test }) => test === '');
  const isUntested = lines.some((line) => line.startsWith('The script loads'));
  const isComplete = isBroken || isUntested || lines.some((line) => /^\d+ passed, \d+ failed$/.test(line));
  if (!isComplete) return undefined;
  return { passed, failures, isBroken, hasTests: isBroken || passed.length + failures.length > 0 };
}

/** The indented lines that follow the line of a failure. */
function readDetails(lines: readonly string[]): Pick<Failure, 'frames' | 'calls' | 'expects'> {
  const end = lines.findIndex((line) => !line.startsWith('  '));
  const details = lines.slice(0, end === -1 ? lines.length : end);
  const names = (label: string) => {
    const line = details.find((text) => text.startsWith(`  ${label} `)) ?? '';
    return line
      .slice(label.length + 3)
      .split(', ')
      .filter((name) => /^\w+$/.test(name));
  };
  const frames = details.flatMap((line) => {
    const match = /^ {2}at (.+?):(\d+) in (.+?): (.*)$/.exec(line);
    if (!match) return [];
    const [, file = '', lineNumber = '', name = '', source = ''] = match;
    return [{ file, line: Number(lineNumber), function: name, source }];
  });
  return { frames, calls: names('calls'), expects: names('expects') };
}

/** Whether a change did good: fewer failures, and none where there was none before. */
export function isBetter(after: TestReport | undefined, before: TestReport): boolean {
  if (!after) return false;
  if (after.isBroken) return before.isBroken && breaksLater(after, before);
  if (before.isBroken) return true;
  const hasLost = before.passed.some((test) => !after.passed.includes(test));
  return !hasLost && after.failures.length < before.failures.length;
}

const SYNTAX_ERRORS = new Set(['SyntaxError', 'IndentationError', 'TabError']);

/** A script that breaks later than before has lost one of its mistakes; it is read before it is run. */
function breaksLater(after: TestReport, before: TestReport): boolean {
  const [now, then] = [after.failures[0], before.failures[0]];
  if (!now || !then) return false;
  const [isSyntaxNow, wasSyntax] = [SYNTAX_ERRORS.has(now.error), SYNTAX_ERRORS.has(then.error)];
  if (isSyntaxNow !== wasSyntax) return wasSyntax;
  return (now.frames.at(-1)?.line ?? 0) > (then.frames.at(-1)?.line ?? 0);
}
