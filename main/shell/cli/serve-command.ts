import { developmentResourcePaths } from '#main/app/resource-paths.ts';
import { runBrowserShell } from '../browser/browser-shell.ts';
import { readPort } from '../port.ts';
import { readVersion } from '../version.ts';
import { EXIT } from './exit-codes.ts';
import type { OutputStream } from './output-stream.ts';
import { dataDirectoryOf, ROOT, type DataOptions } from './services.ts';

export interface ServeOptions extends DataOptions {
  readonly port?: string | undefined;
}

/** Serves the app to a browser until the process is asked to end. */
export async function serveCommand(options: ServeOptions, output: OutputStream): Promise<number> {
  const port = readPort(options.port);
  await runBrowserShell({
    dataDirectory: dataDirectoryOf(options),
    resourcePaths: developmentResourcePaths(ROOT),
    version: readVersion(ROOT),
    port,
    open: false,
    passphraseFile: options.passphraseFile,
    tell: (line) => void output.line(line),
  });
  return EXIT.success;
}
