/** Types of text beside `text/*`, `+json`, `+xml` and `+yaml` (reference: sidecar, section 1.10). */
const TEXT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
  'application/x-jsonlines',
  'application/json-seq',
  'application/xml',
  'application/xml-dtd',
  'application/xml-external-parsed-entity',
  'application/yaml',
  'application/x-yaml',
  'application/javascript',
  'application/x-javascript',
  'application/ecmascript',
  'application/csv',
  'application/x-sh',
  'application/x-httpd-php',
  'application/x-www-form-urlencoded',
]);

/** The type alone, in lower case, without its parameters; empty when there is none. */
export function essenceOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Whether a body of this type is text a model may read. A type that merely contains a word is not. */
export function isTextType(contentType: string | undefined): boolean {
  const essence = essenceOf(contentType);
  return (
    essence.startsWith('text/') ||
    TEXT_TYPES.has(essence) ||
    /^[\w.-]+\/[\w.+-]+\+(json|xml|yaml)$/.test(essence)
  );
}

/** The character set a text says it is in; undefined when it does not. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:+-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'jsonl',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/plain': 'txt',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'md',
  'text/css': 'css',
  'text/calendar': 'ics',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-tar': 'tar',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'message/rfc822': 'eml',
};

/** The usual ending of a file of this type, without a dot. */
export function extensionOf(contentType: string | undefined): string | undefined {
  const essence = essenceOf(contentType);
  if (Object.hasOwn(EXTENSIONS, essence)) return EXTENSIONS[essence];
  return /\+(json|xml|yaml)$/.exec(essence)?.[1];
}
