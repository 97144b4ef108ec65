import { X509Certificate } from 'node:crypto';
import { ProblemError } from '#shared/problem.ts';
import type { CertificateSummary } from '#shared/settings/certificate.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Certificates of a text in PEM, as they stand there. */
export function splitCertificates(pem: string): string[] {
  return pem.match(BLOCK) ?? [];
}

/** What a person knows certificates by; a damaged one is left out. */
export function describeCertificates(pem: string): CertificateSummary[] {
  return splitCertificates(pem).flatMap((block) => {
    const certificate = parse(block);
    if (!certificate) return [];
    const { fingerprint256, subject, issuer, validFrom, validTo, ca } = certificate;
    return [
      {
        fingerprint: fingerprint256,
        subject: nameOf(subject),
        issuer: nameOf(issuer),
        validFrom: Date.parse(validFrom),
        validTo: Date.parse(validTo),
        isAuthority: ca,
      },
    ];
  });
}

/**
 * The certificates together with those of another text, each once.
 * @throws ProblemError `certificate_missing`, `certificate_private_key`, `certificate_damaged`
 */
export function addCertificates(present: string, added: string): string {
  if (added.includes('PRIVATE KEY')) {
    throw refused(
      'certificate_private_key',
      'This holds a private key',
      'Settings are not encrypted, so no private key is kept there. Only the certificate is needed.',
      'Take the key out and add the certificate alone.',
    );
  }
  const blocks = splitCertificates(added);
  if (blocks.length === 0) {
    throw refused(
      'certificate_missing',
      'There is no certificate in it',
      'A certificate in PEM begins with -----BEGIN CERTIFICATE-----.',
      'Ask for the certificate in PEM, which is also called Base64-encoded X.509.',
    );
  }
  const damaged = blocks.findIndex((block) => parse(block) === undefined);
  if (damaged !== -1) {
    throw refused(
      'certificate_damaged',
      'A certificate cannot be read',
      `Certificate ${damaged + 1} of ${blocks.length} is damaged.`,
      'Copy it again, from its first line to its last.',
    );
  }
  const kept = new Map<string, string>();
  for (const block of [...splitCertificates(present), ...blocks]) {
    const fingerprint = parse(block)?.fingerprint256;
    if (fingerprint !== undefined) kept.set(fingerprint, block);
  }
  return [...kept.values()].join('\n');
}

/** The certificates without one. */
export function removeCertificate(present: string, fingerprint: string): string {
  return splitCertificates(present)
    .filter((block) => parse(block)?.fingerprint256 !== fingerprint)
    .join('\n');
}

function parse(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

/** The common name of a subject, else all of it on one line. */
function nameOf(subject: string): string {
  return /^CN=(.+)$/m.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ');
}

function refused(code: string, title: string, detail: string, action: string): ProblemError {
  return new ProblemError({ code, title, detail, action, pointer: '/pem' });
}
