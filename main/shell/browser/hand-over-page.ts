import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A page on disk that leads to an address with a token. Other users of the computer can see a program's
 * arguments, but not what is in a file of this person; so a browser is given the file.
 */
export class HandOverPage implements Disposable {
  readonly #path: string;

  /** @param folder Where the browser may read. */
  constructor(folder: string, address: string) {
    this.#path = join(folder, `open-${randomUUID()}.html`);
    writeFileSync(this.#path, page(address), { mode: 0o600, flag: 'wx' });
  }

  get url(): string {
    return pathToFileURL(this.#path).href;
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { force: true });
  }
}

function page(address: string): string {
  const literal = JSON.stringify(address).replaceAll('<', String.raw`\u003c`);
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Slipway</title>
<script>location.replace(${literal});</script>
`;
}
