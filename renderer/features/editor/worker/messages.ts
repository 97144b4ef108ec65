import type { Finding } from '#shared/manifest/finding.ts';
import type { LibraryPackage } from '../ports.ts';
import type { PackageDraft } from './check-package.ts';

/** To the worker: the library once and after each change, then drafts to check. */
export type ToChecker =
  | { readonly kind: 'library'; readonly packages: readonly LibraryPackage[] }
  | { readonly kind: 'check'; readonly id: number; readonly draft: PackageDraft };

export interface FromChecker {
  readonly id: number;
  readonly findings: readonly Finding[];
}
