import { ProblemError } from '#shared/problem.ts';

/** A folder of a repository on GitHub, as its address may be understood. */
export interface GitHubAddress {
  readonly owner: string;
  readonly repository: string;
  /** Branch, tag or commit with a path, most likely first: a branch's name may have slashes in it. */
  readonly places: readonly { readonly ref: string; readonly path: string }[];
}

/** Steps of a branch's name that are tried. */
const MAX_REF_STEPS = 4;
const OWNER = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$/;
const REPOSITORY = /^[A-Za-z0-9._-]{1,100}$/;

/**
 * Reads the address of a repository, of a folder or of a file in it, as a browser shows it.
 * @throws ProblemError `github_address_invalid`
 */
export function parseGitHubAddress(text: string): GitHubAddress {
  const trimmed = text.trim();
  const address = /^(?:www\.)?github\.com\//i.test(trimmed) ? `https://${trimmed}` : trimmed;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/^(?:www\.)?github\.com$/i.test(url.host)) {
    throw invalid(text, 'it does not begin with https://github.com/');
  }
  const steps = url.pathname.split('/').filter((step) => step !== '');
  const [owner = '', name = '', view, ...rest] = steps.map(decoded);
  const repository = name.replace(/\.git$/, '');
  if (!OWNER.test(owner) || !REPOSITORY.test(repository) || /^\.+$/.test(repository)) {
    throw invalid(text, 'it names no owner and repository');
  }
  if (view === undefined) return { owner, repository, places: [{ ref: 'HEAD', path: '' }] };
  if ((view !== 'tree' && view !== 'blob') || rest.length === 0) {
    throw invalid(text, 'it leads to no folder or file');
  }
  if (rest.some((step) => step === '.' || step === '..' || /[\\\p{Cc}]/u.test(step))) {
    throw invalid(text, 'its path has a step that leads elsewhere');
  }
  const places = Array.from({ length: Math.min(rest.length, MAX_REF_STEPS) }, (_, index) => {
    const path = rest.slice(index + 1);
    // The address of a file stands for the folder it is in.
    return {
      ref: rest.slice(0, index + 1).join('/'),
      path: (view === 'blob' ? path.slice(0, -1) : path).join('/'),
    };
  });
  return { owner, repository, places };
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function invalid(text: string, reason: string): ProblemError {
  const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return new ProblemError({
    code: 'github_address_invalid',
    title: 'This is no address of a repository',
    detail: `"${shown}" cannot be imported: ${reason}.`,
    action: 'Copy it from the browser, such as https://github.com/owner/repository/tree/main/folder.',
  });
}
