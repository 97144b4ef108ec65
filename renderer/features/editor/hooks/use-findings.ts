import { useEffect, useRef, useState } from 'react';
import type { Finding } from '#shared/manifest/finding.ts';
import type { EditedText } from '../model/edited-text.ts';
import type { LibraryPackage } from '../ports.ts';
import type { PackageDraft } from '../worker/check-package.ts';
import { DraftChecker } from '../worker/draft-checker.ts';

/** Milliseconds without a change after which a draft is checked. */
const PAUSE = 120;

export interface CheckedTexts {
  readonly manifest: EditedText;
  readonly content?: { readonly path: string; readonly text: EditedText } | undefined;
  /** The package's other files. */
  readonly paths: readonly string[];
}

/** What is to be said about a package as it is being written; undefined before the first check. */
export function useFindings(
  { manifest, content, paths }: CheckedTexts,
  packages: readonly LibraryPackage[],
): readonly Finding[] | undefined {
  const [findings, setFindings] = useState<readonly Finding[]>();
  const contentPath = content?.path;
  const contentText = content?.text;
  const draft = useRef<() => PackageDraft>(undefined);
  const checker = useRef<DraftChecker>(undefined);
  const checkSoon = useRef<() => void>(undefined);

  useEffect(() => {
    draft.current = () => ({
      manifestText: manifest.source,
      paths,
      texts:
        contentPath === undefined || contentText === undefined ? {} : { [contentPath]: contentText.source },
    });
    checkSoon.current?.();
  }, [manifest, contentPath, contentText, paths]);

  useEffect(() => {
    let isFirst = true;
    const current = new DraftChecker((found) =>
      setFindings((known) => (isSame(known, found) ? known : found)),
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    checker.current = current;
    checkSoon.current = () => {
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          isFirst = false;
          if (draft.current) current.check(draft.current());
        },
        isFirst ? 0 : PAUSE,
      );
    };
    return () => {
      clearTimeout(timer);
      checkSoon.current = undefined;
      current[Symbol.dispose]();
    };
  }, []);

  // The library comes piece by piece, and no piece needs a worker of its own.
  useEffect(() => {
    checker.current?.setPackages(packages);
    checkSoon.current?.();
  }, [packages]);

  useEffect(() => {
    const check = () => checkSoon.current?.();
    check();
    const stops = [manifest.onChange(check), contentText?.onChange(check)];
    return () => {
      for (const stop of stops) stop?.();
    };
  }, [manifest, contentText]);
  return findings;
}

/** The same findings again would draw every mark anew. */
function isSame(known: readonly Finding[] | undefined, found: readonly Finding[]): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(found);
}
