/** How a file is previewed. */
export type FileKind = 'markdown' | 'csv' | 'json' | 'image' | 'pdf' | 'text';

const byExtension: Readonly<Record<string, FileKind>> = {
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  png: 'image',
  jpg: 'image',
  jpeg: 'image',
  gif: 'image',
  webp: 'image',
  avif: 'image',
  svg: 'image',
  pdf: 'pdf',
};

/** The preview for a file; text for anything else, which then says so when its bytes are none. */
export function fileKind(path: string, mediaType: string | undefined): FileKind {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const extension = name.includes('.') ? name.slice(name.lastIndexOf('.') + 1) : '';
  const known = byExtension[extension];
  if (known) return known;
  if (mediaType?.startsWith('image/')) return 'image';
  if (mediaType === 'application/pdf') return 'pdf';
  if (mediaType === 'text/markdown') return 'markdown';
  if (mediaType === 'text/csv' || mediaType === 'text/tab-separated-values') return 'csv';
  if (mediaType === 'application/json' || mediaType?.endsWith('+json')) return 'json';
  return 'text';
}

/**
 * The path under `outputs/` that a document means by a relative one, or `undefined` when it points outside
 * or is an address.
 */
export function resolveOutputPath(document: string, reference: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:/i.test(reference) || reference.startsWith('/') || reference.startsWith('#'))
    return undefined;
  const parts = document.split('/').slice(0, -1);
  for (const part of decode(reference.replace(/[?#].*$/, '')).split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.length > 0 ? parts.join('/') : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
