import type { PackageDetail } from '#shared/ipc/library-routes.ts';

type Origin = PackageDetail['versions'][number]['origin'];

/** How a version came here, in a few words. */
export function originSentence({ kind, from, signedBy }: Origin): string {
  const signature = signedBy === undefined ? '' : `, signed by ${signedBy}`;
  return wayOf(kind, from) + signature;
}

function wayOf(kind: Origin['kind'], from: string | undefined): string {
  switch (kind) {
    case 'written':
    case 'published':
      return 'published here';
    case 'file':
    case 'bundle':
      return from ? `from the file ${from}` : 'from files';
    case 'folder':
      return `from the folder ${from ?? ''}`;
    case 'github':
      return `from ${from?.replace(/^https:\/\//, '') ?? 'GitHub'}`;
    case 'catalogue':
      return 'from Slipway’s catalogue';
    case 'fork':
      return `forked from ${from ?? 'another package'}`;
    case 'restored':
      return `restored from ${from ?? 'an earlier version'}`;
  }
}
