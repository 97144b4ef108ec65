import { useEffect, useState } from 'react';
import type { Finding } from '#shared/manifest/finding.ts';
import type { EditedText } from '../model/edited-text.ts';
import type { LibraryPackage } from '../ports.ts';
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
  useEffect(() => {
    const checker = new DraftChecker((found) =>
      setFindings((known) => (isSame(known, found) ? known : found)),
    );
    checker.setPackages(packages);
    const check = () => {
      checker.check({
        manifestText: manifest.source,
        paths,
        texts:
          contentPath === undefined || contentText === undefined ? {} : { [contentPath]: contentText.source },
      });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const checkSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(check, PAUSE);
    };
    check();
    const stops = [manifest.onChange(checkSoon), contentText?.onChange(checkSoon)];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop?.();
      checker[Symbol.dispose]();
    };
  }, [manifest, contentPath, contentText, paths, packages]);
  return findings;
}

/** The same findings again would draw every mark anew. */
function isSame(known: readonly Finding[] | undefined, found: readonly Finding[]): boolean {
  return known !== undefined && JSON.stringify(known) === JSON.stringify(found);
}
