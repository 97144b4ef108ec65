import { config } from 'zod';
import type { LibraryPackage } from '../ports.ts';
import { checkDraft } from './check-package.ts';
import type { FromChecker, ToChecker } from './messages.ts';
import { createInterpretingChecker } from './schema-checker.ts';

// The policy that forbids the page to compile code holds here too.
config({ jitless: true });

const schemaChecker = createInterpretingChecker();
let packages: readonly LibraryPackage[] = [];

self.addEventListener('message', ({ data }: MessageEvent<ToChecker>) => {
  if (data.kind === 'library') {
    packages = data.packages;
    return;
  }
  const answer: FromChecker = { id: data.id, findings: checkDraft(data.draft, packages, schemaChecker) };
  // A worker's page has no origin to name.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  self.postMessage(answer);
});
