import { TEST_RUNNER_PROGRAM } from '../programs/test-runner-program.ts';
import { candidates, type Candidate } from '../repair/candidates.ts';
import { isBetter, parseTestReport, type Failure, type TestReport } from '../repair/test-report.ts';
import { mendBetween } from '../repair/text-edit.ts';
import { call, turn, type Script, type ScriptContext, type ScriptedCall, type Turn } from '../turn.ts';
import { bash, deliver, edit, fileName, log, missingTools, quote } from './steps.ts';

/** Changes tried at most, each with a run of the tests. */
const MOST_ATTEMPTS = 24;

/** Plays `@slipway/fix-script`: tests, a guess at the cause, a change, tests again. */
export const fixScript: Script = function* (context) {
  const unable = missingTools(context);
  if (unable) return unable;
  const { script, tests } = findFiles(context);
  if (script === undefined)
    return yield* giveUp(context, 'No script was given: this agent mends one Python file.');
  const name = fileName(script);

  const logged = log(context, 'info', `Reading ${name}`);
  const reads = [script, ...(tests === undefined ? [] : [tests])].map((path) => call('read', { path }));
  const contents = yield turn('I read the script and its tests before I touch anything.', logged, ...reads);
  const original = textOfRead(contents[logged ? 1 : 0] ?? '');
  if (original === undefined) {
    return yield* giveUp(
      context,
      `${name} is too long, or no text: the walkthrough mends short scripts only.`,
    );
  }
  yield turn(
    'The tests are for unittest or pytest, and pytest is not installed. A small runner serves both and shows the values that went wrong.',
    call('write', { path: 'work/run_tests.py', content: TEST_RUNNER_PROGRAM }),
  );
  const names = [name, ...(tests === undefined ? [] : [fileName(tests)])].map(quote).join(' ');
  const runTests = `cd work && timeout 15 python3 run_tests.py ${names}`;
  const copies = [script, ...(tests === undefined ? [] : [tests])].map(quote).join(' ');
  const [first = ''] = yield turn('Now the tests, on a copy.', bash(`cp -- ${copies} work/ && ${runTests}`));
  const before = parseTestReport(first);
  if (!before) {
    return yield* giveUp(context, 'The tests did not come to an end, so nothing can be told from them.');
  }
  const repair = yield* mend(context, { path: `work/${name}`, name, original, before, runTests });
  return yield* handOver(context, { script, name, before, ...repair });
};

interface RepairTask {
  readonly path: string;
  readonly name: string;
  readonly original: string;
  readonly before: TestReport;
  readonly runTests: string;
}

interface Repair {
  readonly after: TestReport;
  readonly changes: readonly string[];
  /** What the person has not been told yet. */
  readonly news: ScriptedCall | undefined;
}

/** Tries one change after another and keeps those that the tests say are good. */
function* mend(
  context: ScriptContext,
  { path, name, original, before, runTests }: RepairTask,
): Generator<Turn, Repair, readonly string[]> {
  let kept = { text: original, report: before };
  let current = original;
  const changes: string[] = [];
  const tried = new Set<string>();
  let news: ScriptedCall | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const candidate = candidates(kept.text, name, kept.report).find(({ text }) => !tried.has(text));
    if (!candidate) break;
    tried.add(candidate.text);
    yield turn(
      explain(kept.report, candidate, current !== kept.text),
      news,
      edit(path, mendBetween(current, candidate.text)),
    );
    news = undefined;
    current = candidate.text;
    const [output = ''] = yield turn('', bash(runTests));
    const report = parseTestReport(output);
    if (!report || !isBetter(report, kept.report)) continue;
    kept = { text: candidate.text, report };
    changes.push(candidate.title);
    news = log(context, 'info', `${candidate.title}: ${counts(report)}`);
  }
  if (current !== kept.text) {
    yield turn('The last try did not help, so I take it back.', edit(path, mendBetween(current, kept.text)));
  }
  return { after: kept.report, changes, news };
}

function explain(report: TestReport, { title }: Candidate, isRetry: boolean): string {
  if (isRetry) return `That was not it. Next: ${lowerFirst(title)}.`;
  const [failure] = report.failures;
  return failure ? `${describe(failure)} I try this: ${lowerFirst(title)}.` : title;
}

function describe({ test, error, message }: Failure): string {
  const reason = message === '' ? error : `${error}: ${message}`;
  return test === '' ? `The script does not load: ${reason}.` : `${test} fails with ${reason}.`;
}

function* handOver(
  context: ScriptContext,
  {
    script,
    name,
    before,
    after,
    changes,
    news,
  }: { script: string; name: string; before: TestReport } & Repair,
) {
  const hasChanged = changes.length > 0;
  if (hasChanged) {
    const [from, to] = [quote(script), quote(`work/${name}`)];
    const label = quote(name);
    yield turn(
      after.failures.length === 0
        ? 'Everything passes. I hand over the script and what changed.'
        : 'I hand over what was gained.',
      news,
      bash(
        `mkdir -p outputs && cp -- ${to} outputs/fixed.py && { diff -u --label ${label} --label fixed.py -- ${from} ${to} > outputs/changes.diff || test $? = 1; } && cat outputs/changes.diff`,
      ),
    );
  }
  const status = verdict(before, after, hasChanged);
  const message = summary(status, name, after);
  const level =
    status === 'not_fixed' ? 'error' : status === 'partly_fixed' || status === 'no_tests' ? 'warn' : 'info';
  return yield* deliver(context, level, message, {
    status,
    message,
    tests_passed: after.passed.length,
    tests_failed: after.failures.filter(({ test }) => test !== '').length,
    changes,
    remaining: after.failures.map(describe),
    script: hasChanged ? 'outputs/fixed.py' : null,
    diff: hasChanged ? 'outputs/changes.diff' : null,
  });
}

type Status = 'fixed' | 'partly_fixed' | 'not_fixed' | 'already_passing' | 'no_tests';

function verdict(before: TestReport, after: TestReport, hasChanged: boolean): Status {
  if (after.failures.length > 0) return hasChanged ? 'partly_fixed' : 'not_fixed';
  if (!after.hasTests) return hasChanged ? 'fixed' : 'no_tests';
  return before.failures.length > 0 ? 'fixed' : 'already_passing';
}

function summary(status: Status, name: string, after: TestReport): string {
  switch (status) {
    case 'fixed':
      return after.hasTests
        ? `${name} is fixed: ${counts(after)}.`
        : `${name} loads again. There were no tests to say more.`;
    case 'partly_fixed':
      return `${name} is better and not right yet: ${counts(after)}. The walkthrough knows a few general repairs only; a real model can go further.`;
    case 'not_fixed':
      return `${name} could not be fixed: ${counts(after)}. The walkthrough knows a few general repairs only; a real model can go further.`;
    case 'already_passing':
      return `${name} passes its tests as it is: ${counts(after)}.`;
    case 'no_tests':
      return `${name} loads without an error. Without tests there is no telling what it should do.`;
  }
}

function counts({ passed, failures, isBroken }: TestReport): string {
  if (isBroken) return 'it does not load';
  const pass = passed.length === 1 ? '1 test passes' : `${passed.length} tests pass`;
  return `${pass}, ${failures.length} ${failures.length === 1 ? 'fails' : 'fail'}`;
}

function* giveUp(context: ScriptContext, message: string) {
  return yield* deliver(context, 'error', message, {
    status: 'not_fixed',
    message,
    tests_passed: 0,
    tests_failed: 0,
    changes: [],
    remaining: [],
    script: null,
    diff: null,
  });
}

/** A file's text from a `read`; `undefined` where the tool cut it or the file is no text. */
function textOfRead(result: string): string | undefined {
  if (/\n\n\[(Showing lines|\d+ more lines)|^\[Line 1 is |\0|\ufffd/.test(result)) return undefined;
  return result.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function findFiles({ task }: ScriptContext): { script: string | undefined; tests: string | undefined } {
  const { documents } = task;
  const isTest = (path: string) => /^test_|_test\.py$|^tests\.py$/.test(fileName(path));
  const script =
    documents.find(({ field }) => field === 'script') ??
    documents.find(({ path }) => path.endsWith('.py') && !isTest(path)) ??
    documents[0];
  const tests =
    documents.find(({ field }) => field === 'tests') ??
    documents.find(({ path }) => path !== script?.path && isTest(path));
  return { script: script?.path, tests: tests?.path };
}
