import type { PackageService } from '#main/library/index.ts';
import type { LibraryState, SigningState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';

/** A library without packages, for tests that are about something else. */
export class FakePackageService implements PackageService {
  state(): Promise<LibraryState> {
    return Promise.resolve({ packages: [], watches: [] });
  }

  onChange(): () => void {
    return () => undefined;
  }

  signing(): SigningState {
    return { policy: 'warn', trusted: [] };
  }

  setSigning(): SigningState {
    return this.signing();
  }

  createSigningKey(): Promise<SigningState> {
    return Promise.resolve(this.signing());
  }

  cancelImport(): void {}

  takeImported(): never {
    throw unknown();
  }

  heldExport(): never {
    throw unknown();
  }

  detail = (): Promise<never> => Promise.reject(unknown());
  openFile = this.detail;
  take = this.detail;
  compare = this.detail;
  save = this.detail;
  create = this.detail;
  catalogue = this.detail;
  addFromCatalogue = this.detail;
  discardDraft = this.detail;
  publish = this.detail;
  yank = this.detail;
  unyank = this.detail;
  restore = this.detail;
  tag = this.detail;
  fork = this.detail;
  remove = this.detail;
  previewImport = this.detail;
  mendImport = this.detail;
  commitImport = this.detail;
  watchFolder = this.detail;
  unwatchFolder = this.detail;
  holdExport = this.detail;
  makeExport = this.detail;

  async [Symbol.asyncDispose](): Promise<void> {}
}

function unknown(): ProblemError {
  return new ProblemError({
    code: 'package_unknown',
    title: 'No such package',
    detail: 'The fake library has no packages.',
  });
}
