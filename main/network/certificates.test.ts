import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addCertificates, describeCertificates, removeCertificate } from './certificates.ts';

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

let folder: string;
let company: string;
let other: string;
let key: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-certificates-'));
  const make = (name: string) => {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    const how = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    execFileSync('openssl', ['req', ...how, '-days', '30', ...files, '-subj', `/O=Works/CN=${name}`], {
      stdio: 'ignore',
    });
    return readFileSync(join(folder, `${name}.pem`), 'utf8');
  };
  company = make('Company Root');
  other = make('Other Root');
  key = readFileSync(join(folder, 'Company Root.key'), 'utf8');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('are kept once each, told by name and end, and removed one at a time', () => {
  const both = addCertificates(addCertificates('', company), `Bag Attributes\n${other}\n${company}`);
  const known = describeCertificates(both);
  expect(known.map(({ subject, isAuthority }) => [subject, isAuthority])).toEqual([
    ['Company Root', true],
    ['Other Root', true],
  ]);
  const days = ((known[0]?.validTo ?? 0) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(28);
  expect(days).toBeLessThan(31);
  const left = removeCertificate(both, known[0]?.fingerprint ?? '');
  expect(describeCertificates(left).map(({ subject }) => subject)).toEqual(['Other Root']);
});

it('are refused when there is none, a damaged one, or a private key with it', () => {
  expect(() => addCertificates('', 'no certificate')).toThrow(code('certificate_missing'));
  expect(() => addCertificates('', company.replace(/\n[A-Za-z0-9+/]{20}/, '\n!!'))).toThrow(
    code('certificate_damaged'),
  );
  expect(() => addCertificates('', company + key)).toThrow(code('certificate_private_key'));
});
