import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate with its key, both in PEM. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

/** An authority of one test, made by OpenSSL; its files go with it. */
export class CertificateAuthority implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-authority-'));
  /** The authority's own certificate in PEM. */
  readonly certificate: string;

  constructor(name = 'Authority of a test') {
    this.#openssl('req', '-x509', ...KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`);
    this.certificate = this.#read('ca.pem');
  }

  /** @param extension a line of an OpenSSL extension file, such as `subjectAltName=IP:127.0.0.1` */
  issue(name: string, extension: string): Issued {
    writeFileSync(join(this.#folder, `${name}.ext`), extension);
    this.#openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`];
    this.#openssl('x509', '-req', ...from, ...files);
    return { certificate: this.#read(`${name}.pem`), key: this.#read(`${name}.key`) };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #openssl(...words: string[]): void {
    execFileSync('openssl', words, { cwd: this.#folder, stdio: 'ignore' });
  }

  #read(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8');
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
