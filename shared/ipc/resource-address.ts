import type { CallExportFormat, CallFilter } from '../runs/recorded-call.ts';
import { keptFolderSchema, type KeptFolder } from '../runs/run.ts';

/** Path a file is uploaded to; its name stands in the parameter `name`. */
export function uploadPath(capability: string, name: string): string {
  return `/upload/${capability}?name=${encodeURIComponent(name.toWellFormed())}`;
}

const ROOTS: Readonly<Record<KeptFolder, string>> = {
  outputs: 'output',
  resources: 'resource',
  documents: 'document',
};

/** The folder of a run that the first step of a path stands for. */
export function keptFolderOf(root: string | undefined): KeptFolder | undefined {
  return keptFolderSchema.options.find((folder) => ROOTS[folder] === root);
}

/** Which kept file of a run is meant, and whether the browser saves it. */
export interface OutputAddressOptions {
  readonly folder?: KeptFolder;
  readonly download?: boolean;
}

/** Path of a file that is kept with a run, without the shell's own beginning. */
export function outputPath(runId: string, path: string, options: OutputAddressOptions = {}): string {
  const root = ROOTS[options.folder ?? 'outputs'];
  const encoded = [runId, ...path.split('/')].map((part) => encodeURIComponent(part.toWellFormed()));
  return `/${root}/${encoded.join('/')}${options.download ? '?download' : ''}`;
}

/** Path of a run's audit as a file, which the browser saves. */
export function callsPath(runId: string, format: CallExportFormat, filter: CallFilter): string {
  const given = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
  const query = given.map(
    ({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return `/calls/${encodeURIComponent(runId)}/${format}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Path of an exported package, which the browser saves. */
export function exportPath(token: string): string {
  return `/export/${encodeURIComponent(token)}`;
}

/** Path of a resource that only one session may load. */
export function sessionPath(capability: string, path: string): string {
  return `/s/${capability}${path}`;
}
