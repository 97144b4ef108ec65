import { MAX_PATH_BYTES } from './archive/limits.ts';

/** Why a path may not stand in a package, as the end of a sentence; undefined for a good one. */
export function pathFault(path: string, maxDepth: number): string | undefined {
  if (path.includes('\\')) return 'has a backslash, which some readers take for a folder';
  if (path.startsWith('/')) return 'begins at the root of the disk';
  if (/^[A-Za-z]:/.test(path)) return 'begins with a drive letter';
  if (path.includes(':')) return 'has a colon, with which Windows names what is hidden in another file';
  if (/[\p{Cc}\p{Bidi_Control}\uFEFF\u200B]/u.test(path)) return 'has an invisible character';
  const segments = path.split('/');
  if (segments.includes('..')) return 'leaves the package';
  if (segments.some((segment) => segment === '' || segment === '.')) return 'has an empty step';
  if (segments.length > maxDepth) return `is more than ${maxDepth} folders deep`;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `has more than ${MAX_PATH_BYTES} bytes`;
  return undefined;
}

/** Names that Windows gives to devices, in whatever folder and with whatever ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\.|$)/i;

/**
 * Why a good path cannot be written as a file on Windows, as the end of a sentence; undefined where it can.
 * No reader of packages need refuse it (reference: afps, section 19), so it is only told.
 */
export function portabilityFault(path: string): string | undefined {
  for (const segment of path.split('/')) {
    if (DEVICE.test(segment)) return 'is the name of a device';
    if (/[<>"|?*]/.test(segment)) return 'has a character that no file name may have';
    if (/[. ]$/.test(segment)) return 'ends with a dot or a space, which is left out';
  }
  return undefined;
}

/**
 * The first of some paths that is one with an earlier path on some computer: both are the same file or
 * folder, or one is a file and the other a folder. A name with a slash at its end is a folder.
 */
export function repeatedPath(names: Iterable<string>): { path: string; earlier: string } | undefined {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const name of names) {
    const isFolder = name.endsWith('/');
    const path = isFolder ? name.slice(0, -1) : name;
    const steps = path.split('/');
    const parents = steps.slice(0, -1).map((_, index) => steps.slice(0, index + 1).join('/'));
    for (const folder of isFolder ? [...parents, path] : parents) {
      const key = foldedPath(folder);
      const earlier = folders.get(key) ?? folder;
      if (earlier !== folder) return { path: folder, earlier };
      folders.set(key, folder);
    }
    if (isFolder) continue;
    const key = foldedPath(path);
    const earlier = files.get(key);
    if (earlier !== undefined) return { path, earlier };
    files.set(key, path);
  }
  for (const [key, path] of files) {
    const folder = folders.get(key);
    if (folder !== undefined) return { path, earlier: folder };
  }
  return undefined;
}

/** How two paths that are one are told of, as a sentence; each as it is shown. */
export function repetitionWords(path: string, earlier: string): string {
  return path === earlier
    ? `"${path}" is there twice.`
    : `"${path}" and "${earlier}" are one and the same on some computers.`;
}

/**
 * What names have in common that some file system takes for one: they differ only in case, in how accents
 * are written, or in the dots and spaces at the end of a step, which Windows leaves out.
 */
function foldedPath(path: string): string {
  return path
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[. ]+(?=\/|$)/g, '');
}
