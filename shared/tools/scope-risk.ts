/** A word in a scope that lets an agent do what cannot be taken back, and what it lets it do. */
const RISKS: readonly (readonly [RegExp, string])[] = [
  [/(^|[^a-z])(admin|administrator|owner|sudo|root)([^a-z]|$)/i, 'administers the account'],
  [/(^|[^a-z])(delete|destroy|remove|purge)/i, 'deletes'],
  [/(^|[^a-z])(full|full_?access|fullcontrol|all|everything|\*)([^a-z]|$)/i, 'has full access'],
  [
    /(^|[^a-z])(payment|payments|payout|payouts|charge|charges|refund|billing|transfers?)([^a-z]|$)/i,
    'moves money',
  ],
  [/(^|[^a-z])(send|compose|post|publish|tweet)([^a-z]|$)/i, 'sends or publishes in your name'],
  [
    /(^|[^a-z])(manage|management|security|impersonat\w*|delegat\w*)([^a-z]|$)/i,
    'manages others’ access or settings',
  ],
];

/** Scopes whose names do not say how much they allow. */
const KNOWN: Readonly<Record<string, string>> = {
  'https://mail.google.com/': 'reads, sends and deletes all mail for good',
  'https://www.googleapis.com/auth/drive': 'reads, changes and deletes every file',
  'https://www.googleapis.com/auth/gmail.modify': 'reads, changes and sends all mail',
  'https://www.googleapis.com/auth/cloud-platform': 'has full access to all cloud projects',
  repo: 'reads and changes all private repositories',
  workflow: 'changes what runs in the build pipelines',
  api: 'has full access',
};

/**
 * Why a scope weighs much, as the end of "It …"; undefined for one that does not. A guess by its name and
 * label: only the service knows.
 */
export function scopeRisk(scope: string, label = ''): string | undefined {
  const known = Object.hasOwn(KNOWN, scope) ? KNOWN[scope] : undefined;
  if (known !== undefined) return known;
  // Of an address only its end tells what it allows.
  const name = scope.replace(/^https?:\/\/[^/]+\/(?:auth\/)?/, '');
  if (/(^|[^a-z])read[-_]?only([^a-z]|$)/i.test(name)) return undefined;
  return RISKS.find(([pattern]) => pattern.test(name) || pattern.test(label))?.[1];
}
