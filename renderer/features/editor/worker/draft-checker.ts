import type { Finding } from '#shared/manifest/finding.ts';
import type { LibraryPackage } from '../ports.ts';
import type { PackageDraft } from './check-package.ts';
import type { FromChecker, ToChecker } from './messages.ts';

/** A worker as the checker sees it. */
export interface CheckerWorker {
  send(message: ToChecker): void;
  end(): void;
}

export interface CheckerWorkerEvents {
  onAnswer(this: void, answer: FromChecker): void;
  /** It failed and answers no more. */
  onFailure(this: void): void;
}

/**
 * Checks drafts in a worker, so that typing never waits. While one is being checked the newest of those
 * asked for meanwhile waits, and the ones between are dropped.
 */
export class DraftChecker implements Disposable {
  readonly #createWorker: (events: CheckerWorkerEvents) => CheckerWorker;
  readonly #onFindings: (findings: readonly Finding[], draft: PackageDraft) => void;
  #worker: CheckerWorker | undefined;
  #packages: readonly LibraryPackage[] = [];
  #sentPackages: readonly LibraryPackage[] | undefined;
  #running: { id: number; draft: PackageDraft } | undefined;
  #waiting: PackageDraft | undefined;
  #count = 0;

  constructor(
    onFindings: (findings: readonly Finding[], draft: PackageDraft) => void,
    createWorker: (events: CheckerWorkerEvents) => CheckerWorker = startWorker,
  ) {
    this.#onFindings = onFindings;
    this.#createWorker = createWorker;
  }

  /** Packages that the next check holds drafts against. */
  setPackages(packages: readonly LibraryPackage[]): void {
    this.#packages = packages;
  }

  check(draft: PackageDraft): void {
    this.#waiting = draft;
    this.#next();
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined;
    this.#stop();
  }

  #next(): void {
    if (this.#running !== undefined || this.#waiting === undefined) return;
    const worker = this.#started();
    if (this.#sentPackages !== this.#packages) {
      worker.send({ kind: 'library', packages: this.#packages });
      this.#sentPackages = this.#packages;
    }
    this.#count += 1;
    this.#running = { id: this.#count, draft: this.#waiting };
    this.#waiting = undefined;
    worker.send({ kind: 'check', ...this.#running });
  }

  #started(): CheckerWorker {
    this.#worker ??= this.#createWorker({
      onAnswer: ({ id, findings }) => {
        const running = this.#running;
        if (running?.id !== id) return;
        this.#running = undefined;
        this.#onFindings(findings, running.draft);
        this.#next();
      },
      // The draft that broke it is not tried again; the next one gets another worker.
      onFailure: () => {
        this.#stop();
        this.#next();
      },
    });
    return this.#worker;
  }

  #stop(): void {
    this.#worker?.end();
    this.#worker = undefined;
    this.#sentPackages = undefined;
    this.#running = undefined;
  }
}

function startWorker({ onAnswer, onFailure }: CheckerWorkerEvents): CheckerWorker {
  const worker = new Worker(new URL('./checker.worker.ts', import.meta.url), { type: 'module' });
  worker.addEventListener('message', ({ data }: MessageEvent<FromChecker>) => onAnswer(data));
  worker.addEventListener('error', onFailure);
  return {
    // A worker has no origin to name.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    send: (message) => worker.postMessage(message),
    end: () => worker.terminate(),
  };
}
