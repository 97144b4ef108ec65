import { expect, test } from 'vitest';
import type { PackageDraft } from './check-package.ts';
import type { CheckerWorker, CheckerWorkerEvents } from './checker-workers.ts';
import { DraftChecker } from './draft-checker.ts';
import type { ToChecker } from './messages.ts';

class StubWorker implements CheckerWorker {
  readonly messages: ToChecker[] = [];
  readonly events: CheckerWorkerEvents;
  isEnded = false;
  isSetAside = false;

  constructor(events: CheckerWorkerEvents) {
    this.events = events;
  }

  send(message: ToChecker): void {
    this.messages.push(message);
  }

  end(): void {
    this.isEnded = true;
  }

  setAside(): void {
    this.isSetAside = true;
  }

  answer(): void {
    const last = this.messages.findLast((message) => message.kind === 'check');
    this.events.onAnswer({ id: last?.id ?? 0, findings: [] });
  }
}

/** A checker with the workers it starts and the drafts it has answers for. */
function setUp() {
  const workers: StubWorker[] = [];
  const answered: string[] = [];
  const checker = new DraftChecker(
    (_, { manifestText }) => answered.push(manifestText),
    (events) => {
      const worker = new StubWorker(events);
      workers.push(worker);
      return worker;
    },
  );
  return { checker, workers, answered };
}

const draft = (manifestText: string): PackageDraft => ({ manifestText, paths: [], texts: {} });

test('while one draft is checked only the newest waits, and each answer is about its own draft', () => {
  const { checker, workers, answered } = setUp();
  for (const text of ['a', 'b', 'c']) checker.check(draft(text));
  workers[0]!.answer();
  workers[0]!.answer();
  expect(answered).toEqual(['a', 'c']);
});

test('the library is sent again only when it is another one', () => {
  const { checker, workers } = setUp();
  checker.setPackages([]);
  for (const text of ['a', 'b']) {
    checker.check(draft(text));
    workers[0]!.answer();
  }
  expect(workers[0]!.messages.map(({ kind }) => kind)).toEqual(['library', 'check', 'check']);
  checker.setPackages([]);
  checker.check(draft('c'));
  expect(workers[0]!.messages.slice(3).map(({ kind }) => kind)).toEqual(['library', 'check']);
});

test('a draft that breaks the worker is left, and the next one is checked by another', () => {
  const { checker, workers, answered } = setUp();
  checker.check(draft('breaks'));
  checker.check(draft('good'));
  workers[0]!.events.onFailure();
  expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, false]);
  workers[1]!.answer();
  expect(answered).toEqual(['good']);
});

test('a worker that has answered everything is kept for another checker', () => {
  const { checker, workers } = setUp();
  checker.check(draft('a'));
  workers[0]!.answer();
  checker[Symbol.dispose]();
  expect(workers[0]).toMatchObject({ isSetAside: true, isEnded: false });
});

test('no answer comes after disposal, and a worker that is still checking is ended', () => {
  const { checker, workers, answered } = setUp();
  checker.check(draft('a'));
  checker[Symbol.dispose]();
  workers[0]!.answer();
  expect(answered).toEqual([]);
  expect(workers[0]).toMatchObject({ isSetAside: false, isEnded: true });
});
