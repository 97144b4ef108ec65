import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileLogger, Redactor } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('Redactor', () => {
  it('finds a secret however it was encoded on its way', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 60 }), (secret) => {
        fc.pre(secret.trim().length >= 6);
        const value = secret.trim();
        const redactor = new Redactor();
        redactor.protect(secret);
        for (const text of [
          `key=${value};`,
          JSON.stringify({ key: value }),
          `https://x/?key=${encodeURIComponent(value)}`,
          new URLSearchParams({ client_secret: value }).toString(),
          `Basic ${Buffer.from(value).toString('base64')}`,
        ]) {
          expect(redactor.redact(text)).toContain('[secret]');
        }
      }),
    );
  });

  it('leaves texts alone that only look like a pattern of the secret', () => {
    const redactor = new Redactor();
    redactor.protect('sk-.*[a-z]+$');
    expect(redactor.redact('sk-anything')).toBe('sk-anything');
    expect(redactor.redact('<sk-.*[a-z]+$>')).toBe('<[secret]>');
  });
});

describe('createFileLogger', () => {
  it('sets a long log aside also while it writes, so that no start fills the disk', () => {
    using logger = createFileLogger(folder, new Redactor());
    const text = 'x'.repeat(1024 * 1024);
    for (let line = 1; line <= 13; line += 1) logger.info({ line }, text);
    const lines = (name: string) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/"line":(\d+)/g)].map(([, line]) => Number(line));
    expect(readdirSync(folder).sort()).toEqual(['slipway.log', 'slipway.log.1']);
    expect([...lines('slipway.log.1'), ...lines('slipway.log')]).toEqual([6, 7, 8, 9, 10, 11, 12, 13]);
    expect(statSync(join(folder, 'slipway.log')).mode & 0o077).toBe(0);
  });

  it('never writes a protected value, neither in fields nor in an error’s message, stack or cause', () => {
    const redactor = new Redactor();
    const canary = 'sk-canary-"quoted"-1234567890';
    redactor.protect(canary);
    using logger = createFileLogger(folder, redactor);
    logger.error(
      { error: new Error(`refused ${canary}`, { cause: new Error(canary) }), header: `Bearer ${canary}` },
      `while using ${canary}`,
    );
    const log = readFileSync(join(folder, 'slipway.log'), 'utf8');
    expect(log).toContain('[secret]');
    expect(log).not.toContain('sk-canary');
    expect(statSync(join(folder, 'slipway.log')).mode & 0o077).toBe(0);
  });
});
