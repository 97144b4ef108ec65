import type { Finding } from '#shared/manifest/finding.ts';
import type { LibraryPackage } from '../ports.ts';
import type { PackageDraft } from './check-package.ts';
import { takeCheckerWorker, type CheckerWorker, type CheckerWorkerEvents } from './checker-workers.ts';

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
    createWorker: (events: CheckerWorkerEvents) => CheckerWorker = takeCheckerWorker,
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
    // One that is still checking may never answer, and is of no use to another.
    if (this.#running !== undefined) {
      this.#stop();
      return;
    }
    this.#worker?.setAside();
    this.#worker = undefined;
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
