import { ProblemError } from '#shared/problem.ts';
import { ARCHIVE_LIMITS } from '../archive/limits.ts';
import { readArchive } from '../archive/read-archive.ts';
import type { GitHubAddress } from './github-address.ts';
import { download } from './public-download.ts';

/** Where public archives of repositories are, as `<base>/<owner>/<repository>/zip/<ref>`. */
export const GITHUB_ARCHIVES = 'https://codeload.github.com';

const HOSTS = ['github.com', 'githubusercontent.com'];
const TIMEOUT_MS = 30_000;
/** Entries of a whole repository; only those of one folder are read. */
const MAX_ENTRIES = 100_000;

/**
 * Fetches one folder of a public repository, with paths relative to it.
 * @param base Where archives are; another one than GitHub's own is trusted as its person's choice.
 * @throws ProblemError `github_not_found`, `github_busy`, `github_folder_empty`, `github_failed`,
 * `github_archives_invalid`, `download_…`, `archive_…`
 */
export async function fetchGitHubFolder(
  { owner, repository, places }: GitHubAddress,
  base: string,
  signal: AbortSignal,
): Promise<{ files: ReadonlyMap<string, Buffer>; ref: string; path: string }> {
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '')) {
    throw new ProblemError({
      code: 'github_archives_invalid',
      title: 'The server of archives has no address',
      detail: `"${base}" is set as the server of repositories’ archives, and it is no http address.`,
      action: 'Correct SLIPWAY_GITHUB_ARCHIVES, or leave it out.',
    });
  }
  // GitHub's own name gets no such trust: a resolver may lead it into a private network too.
  const trustedOrigin = base === GITHUB_ARCHIVES ? undefined : new URL(base).origin;
  let isFound = false;
  for (const { ref, path } of places) {
    const steps = [owner, repository, 'zip', ...ref.split('/')].map(encodeURIComponent).join('/');
    const { status, bytes } = await download(`${base.replace(/\/$/, '')}/${steps}`, {
      trustedOrigin,
      hosts: HOSTS,
      maxBytes: ARCHIVE_LIMITS.archiveBytes,
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    if (status === 404) continue;
    if (status === 403 || status === 429) throw busy();
    if (status !== 200) throw failed(status);
    isFound = true;
    const files = await filesUnder(bytes, path);
    if (files.size > 0) return { files, ref, path };
  }
  const place = places[0];
  if (isFound) {
    const detail = `The folder "${place?.path ?? ''}" of ${owner}/${repository} has no files, or there is none.`;
    throw new ProblemError({ code: 'github_folder_empty', title: 'The folder is empty', detail });
  }
  const at =
    place === undefined || place.ref === 'HEAD' ? '' : ` at ${places.map(({ ref }) => ref).join(' or ')}`;
  throw new ProblemError({
    code: 'github_not_found',
    title: 'There is no such repository',
    detail: `GitHub has no public repository ${owner}/${repository}${at}.`,
    action: 'Check the address. Of a private repository, import a copy on this computer.',
  });
}

/** Of a repository's archive, one folder; only its files are checked and inflated. */
async function filesUnder(archive: Buffer, path: string): Promise<Map<string, Buffer>> {
  const prefix = path === '' ? '' : `${path}/`;
  const inRepository = (name: string): string => name.slice(name.indexOf('/') + 1);
  const limits = { ...ARCHIVE_LIMITS, entries: MAX_ENTRIES };
  const { files, wrapper } = await readArchive(archive, limits, (name) =>
    inRepository(name).startsWith(prefix),
  );
  // All that is read may stand in one folder deeper than the repository's own.
  const whole = new Map(
    [...files].map(([name, bytes]) => [wrapper === undefined ? name : `${wrapper}/${name}`, bytes]),
  );
  return new Map([...whole].map(([name, bytes]) => [inRepository(name).slice(prefix.length), bytes]));
}

function busy(): ProblemError {
  return new ProblemError({
    code: 'github_busy',
    title: 'GitHub asks to wait',
    detail: 'GitHub does not answer requests from this network at the moment.',
    action: 'Wait some minutes and try again.',
  });
}

function failed(status: number): ProblemError {
  const detail = `GitHub answered with the status ${status}.`;
  return new ProblemError({
    code: 'github_failed',
    title: 'GitHub gave no archive',
    detail,
    action: 'Try again later.',
  });
}
