/** Path a file is uploaded to; its name stands in the parameter `name`. */
export function uploadPath(capability: string, name: string): string {
  return `/upload/${capability}?name=${encodeURIComponent(name.toWellFormed())}`;
}

/** Path of a run's output file, without the shell's own beginning. */
export function outputPath(runId: string, path: string, options: { download?: boolean } = {}): string {
  const encoded = [runId, ...path.split('/')].map((part) => encodeURIComponent(part.toWellFormed()));
  return `/output/${encoded.join('/')}${options.download ? '?download' : ''}`;
}

/** Path of an exported package, which the browser saves. */
export function exportPath(token: string): string {
  return `/export/${encodeURIComponent(token)}`;
}

/** Path of a resource that only one session may load. */
export function sessionPath(capability: string, path: string): string {
  return `/s/${capability}${path}`;
}
