import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withFileLock } from './file-lock.ts';
import { createSecretStore, type SystemCipher } from './index.ts';
import { newPassphraseKey, openPassphraseKey, seal, unseal } from './sealed-file.ts';

const CHEAP = { N: 2 ** 10, r: 8, p: 1 };
const CANARY = 'sk-canary-4f1d9c7a2b60e853';

let directory: string;
const vaultFile = () => join(directory, 'secrets.passphrase.json');
const open = () => createSecretStore({ directory, scryptCost: CHEAP });

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'slipway-secrets-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

/** A key store of one machine: what another one encrypted does not open. */
function cipherOf(machine: string): SystemCipher {
  return {
    backend: 'test_keychain',
    isAvailable: () => true,
    encrypt: async (text) => Buffer.from(`${machine}:${Buffer.from(text).toString('base64')}`),
    decrypt: async (encrypted) => {
      const [owner, data] = Buffer.from(encrypted).toString().split(':');
      if (owner !== machine) throw new Error('Error while decrypting the ciphertext');
      return Buffer.from(data!, 'base64').toString();
    },
  };
}

describe('passphrase vault', () => {
  it('keeps secrets over a restart and writes none of them in the clear', async () => {
    const first = open();
    expect(first.state).toMatchObject({ backend: 'passphrase', state: 'absent' });
    await first.unlock('correct horse');
    await first.set('model-provider/openai', CANARY);
    await first.set('a', 'b');
    await first.delete('a');

    const second = open();
    expect(second.state.state).toBe('locked');
    await expect(second.get('model-provider/openai')).rejects.toEqual(code('vault_locked'));
    await second.unlock('correct horse');
    expect(await second.get('model-provider/openai')).toBe(CANARY);
    expect(await second.names()).toEqual(['model-provider/openai']);

    for (const name of readdirSync(directory)) {
      expect(readFileSync(join(directory, name), 'utf8')).not.toMatch(/canary|model-provider/);
    }
    expect(readdirSync(directory)).toEqual(['secrets.passphrase.json']);
    const openToOthers = process.platform === 'win32' ? 0 : statSync(vaultFile()).mode & 0o077;
    expect(openToOthers).toBe(0);
  });

  it('costs an attacker at least the scrypt work the design asks for', async () => {
    const store = createSecretStore({ directory });
    await store.unlock('p');
    const { kdf } = JSON.parse(readFileSync(vaultFile(), 'utf8'));
    expect(kdf.N).toBeGreaterThanOrEqual(2 ** 17);
  });

  it('refuses to keep a secret before a passphrase was chosen', async () => {
    await expect(open().set('a', 'b')).rejects.toEqual(code('vault_locked'));
    expect(readdirSync(directory)).toEqual([]);
  });

  it('tells a wrong passphrase from a damaged file and leaves both as they are', async () => {
    await open().unlock('right');
    const intact = readFileSync(vaultFile());
    await expect(open().unlock('wrong')).rejects.toEqual(code('vault_passphrase_wrong'));
    expect(readFileSync(vaultFile())).toEqual(intact);

    truncateSync(vaultFile(), intact.length - 20);
    await expect(open().unlock('right')).rejects.toEqual(code('vault_damaged'));
    expect(readFileSync(vaultFile())).toEqual(intact.subarray(0, -20));

    const file = JSON.parse(intact.toString());
    writeFileSync(vaultFile(), JSON.stringify({ ...file, version: 2 }));
    await expect(open().unlock('right')).rejects.toEqual(code('vault_too_new'));
    writeFileSync(vaultFile(), JSON.stringify({ ...file, kdf: { ...file.kdf, N: 2 ** 30 } }));
    await expect(open().unlock('right')).rejects.toEqual(code('vault_damaged'));
  });

  it('never opens a changed file as if it were whole', async () => {
    const key = await newPassphraseKey('p', CHEAP);
    const bytes = seal(new Map([['name', CANARY]]), key);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at] = changed[at]! ^ mask;
        let secrets;
        try {
          secrets = unseal(changed, key);
        } catch {
          return;
        }
        // Blanks between JSON tokens may differ without a change of meaning.
        expect(secrets.get('name')).toBe(CANARY);
        expect(JSON.parse(changed.toString())).toEqual(JSON.parse(bytes.toString()));
      }),
    );
  });

  it('keeps any names and values exactly, also __proto__', async () => {
    const key = await newPassphraseKey('ключ 🔑', CHEAP);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (pairs) => {
        const secrets = new Map([...pairs, ['__proto__', 'x'], ['constructor', 'y']] as [string, string][]);
        const copy = unseal(seal(secrets, key), key);
        expect(copy).toEqual(secrets);
      }),
    );
    const again = await openPassphraseKey(seal(new Map(), key), 'ключ 🔑');
    expect(again.encryptionKey).toEqual(key.encryptionKey);
  });

  it('comes back from a write that a crash cut short, with nothing lost', async () => {
    const store = open();
    await store.unlock('p');
    await store.set('kept', CANARY);
    copyFileSync(vaultFile(), `${vaultFile()}.previous`);
    truncateSync(vaultFile(), 100);

    const restarted = open();
    await restarted.unlock('p');
    expect(await restarted.get('kept')).toBe(CANARY);
    await restarted.set('other', 'x');
    expect(await restarted.names()).toEqual(['kept', 'other']);
    expect(readdirSync(directory)).toEqual(['secrets.passphrase.json']);
  });

  it('survives kill -9 of a process that saves, and keeps nothing of the half-done write', async () => {
    const store = open();
    await store.unlock('p');
    await store.set('kept', CANARY);
    const script = `
      import { createSecretStore } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      const store = createSecretStore({ directory: ${JSON.stringify(directory)} });
      await store.unlock('p');
      for (let i = 0; ; i++) {
        await store.set('at', String(i));
        process.stdout.write(i + '\\n');
      }
    `;
    for (let round = 0; round < 5; round += 1) {
      const writer = spawn(process.execPath, ['--input-type=module', '-e', script]);
      let told = '';
      writer.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
      await once(writer.stdout, 'data');
      await delay(5 + round * 7);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const last = Number(told.trimEnd().split('\n').at(-1));
      const restarted = open();
      await restarted.unlock('p');
      expect(await restarted.get('kept')).toBe(CANARY);
      // A write that was told of is there; the one after it may be.
      expect([last, last + 1]).toContain(Number(await restarted.get('at')));
    }
    writeFileSync(`${vaultFile()}.f00d.tmp`, 'half');
    await open().unlock('p');
    await store.set('after', 'x');
    expect(readdirSync(directory)).toEqual(['secrets.passphrase.json']);
  }, 60_000);

  it('does not let an older copy win over a good file', async () => {
    const store = open();
    await store.unlock('p');
    copyFileSync(vaultFile(), `${vaultFile()}.previous`);
    await store.set('kept', CANARY);
    const restarted = open();
    await restarted.unlock('p');
    expect(await restarted.get('kept')).toBe(CANARY);
  });

  it('loses no write of several processes on one vault', async () => {
    await open().unlock('p');
    const script = `
      import { createSecretStore } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
      const store = createSecretStore({ directory: ${JSON.stringify(directory)} });
      await store.unlock('p');
      for (let i = 0; i < 8; i++) await store.set(process.argv[1] + i, 'v');
    `;
    const run = promisify(execFile);
    const [store] = await Promise.all([
      (async () => {
        const store = open();
        await store.unlock('p');
        for (let i = 0; i < 8; i += 1) await store.set(`own${i}`, 'v');
        return store;
      })(),
      ...['a', 'b', 'c'].map((name) =>
        run(process.execPath, ['--input-type=module', '-e', script, name], { cwd: process.cwd() }),
      ),
    ]);
    expect(await store.names()).toHaveLength(32);
  }, 60_000);

  it('notices that another process made the vault anew', async () => {
    const store = open();
    await store.unlock('p');
    const states: string[] = [];
    store.onState((state) => states.push(state.state));
    rmSync(vaultFile());
    await open().unlock('other');
    await expect(store.set('a', 'b')).rejects.toEqual(code('vault_locked'));
    expect(states).toEqual(['locked']);
    await expect(store.unlock('p')).rejects.toEqual(code('vault_passphrase_wrong'));
  });

  it('needs the passphrase again once locked', async () => {
    const store = open();
    await store.unlock('p');
    await store.set('a', CANARY);
    expect(await store.lock()).toMatchObject({ state: 'locked' });
    await expect(store.get('a')).rejects.toEqual(code('vault_locked'));
  });
});

describe('a vault that does not open', () => {
  it('is set aside under another name, byte for byte, and a new one takes its place', async () => {
    await open().unlock('forgotten');
    const intact = readFileSync(vaultFile());
    const store = open();
    const { keptAs, state } = await store.setAside();
    expect(state).toBe('absent');
    expect(readFileSync(join(directory, keptAs))).toEqual(intact);
    await store.unlock('new');
    await store.set('a', CANARY);
    expect(await open().unlock('new')).toMatchObject({ state: 'open' });
    expect(readdirSync(directory).sort()).toEqual([keptAs, 'secrets.passphrase.json'].sort());
  });

  it('is not set aside while it is open, nor where there is none', async () => {
    await expect(open().setAside()).rejects.toEqual(code('vault_in_use'));
    const store = open();
    await store.unlock('p');
    await expect(store.setAside()).rejects.toEqual(code('vault_in_use'));
    expect(readdirSync(directory)).toEqual(['secrets.passphrase.json']);
  });

  it('says why in its state, and forgets the reason once it opens again', async () => {
    await open().unlock('p');
    const intact = readFileSync(vaultFile());
    truncateSync(vaultFile(), 60);
    const store = open();
    await expect(store.unlock('p')).rejects.toEqual(code('vault_damaged'));
    expect(store.state).toMatchObject({ state: 'locked', problem: { code: 'vault_damaged' } });
    writeFileSync(vaultFile(), intact);
    expect((await store.unlock('p')).problem).toBeUndefined();
  });

  it('tells that keys of a desktop key store lie where there is none', async () => {
    await createSecretStore({ directory, systemCipher: cipherOf('mine') }).set('a', CANARY);
    const moved = open();
    expect(moved.state).toMatchObject({ state: 'absent', problem: { code: 'vault_other_machine' } });
    expect((await moved.unlock('p')).problem).toBeUndefined();
    expect(readdirSync(directory).sort()).toEqual(['secrets.passphrase.json', 'secrets.system.json']);
  });
});

describe('file lock', () => {
  it('takes over the lock of a dead process, also one that had this process id', async () => {
    const path = join(directory, 'x.lock');
    for (const processId of [2 ** 22 + 7, process.pid]) {
      writeFileSync(path, JSON.stringify({ processId, host: hostname(), token: 'gone' }));
      expect(await withFileLock(path, async () => 1, { timeoutMs: 2000 })).toBe(1);
    }
    writeFileSync(path, '');
    utimesSync(path, new Date(0), new Date(0));
    expect(await withFileLock(path, async () => 1, { timeoutMs: 2000 })).toBe(1);
    expect(readdirSync(directory)).toEqual([]);
  });

  it('leaves a lock alone that another has taken over meanwhile', async () => {
    const path = join(directory, 'x.lock');
    await withFileLock(path, async () => {
      utimesSync(path, new Date(0), new Date(0));
      await withFileLock(path, async () => {
        utimesSync(path, new Date(0), new Date(0));
      });
      writeFileSync(path, JSON.stringify({ processId: 1, host: hostname(), token: 'another' }));
    });
    expect(readFileSync(path, 'utf8')).toContain('another');
  });

  it('gives up with a reason when a living process keeps it', async () => {
    const path = join(directory, 'x.lock');
    await withFileLock(path, async () => {
      await expect(withFileLock(path, async () => 1, { timeoutMs: 50 })).rejects.toEqual(code('vault_busy'));
    });
  });
});

describe('system vault', () => {
  it('keeps secrets, and says when another computer made them', async () => {
    const store = createSecretStore({ directory, systemCipher: cipherOf('mine') });
    expect(store.state).toMatchObject({ backend: 'system', state: 'open' });
    await store.set('model-provider/openai', CANARY);
    expect(
      await createSecretStore({ directory, systemCipher: cipherOf('mine') }).get('model-provider/openai'),
    ).toBe(CANARY);

    const path = join(directory, 'secrets.system.json');
    const intact = readFileSync(path);
    const elsewhere = createSecretStore({ directory, systemCipher: cipherOf('theirs') });
    const states: string[] = [];
    elsewhere.onState(({ state, problem }) => states.push(`${state} ${problem?.code}`));
    await expect(elsewhere.get('model-provider/openai')).rejects.toEqual(code('vault_other_machine'));
    expect(states).toEqual(['locked vault_other_machine']);
    await expect(elsewhere.set('x', 'y')).rejects.toEqual(code('vault_other_machine'));
    expect(readFileSync(path)).toEqual(intact);

    truncateSync(path, 40);
    await expect(store.get('x')).rejects.toEqual(code('vault_damaged'));
    writeFileSync(`${path}.previous`, intact);
    expect(await store.get('model-provider/openai')).toBe(CANARY);
  });

  it('is not used where the system has no real key store', () => {
    const cipher = { ...cipherOf('mine'), isAvailable: () => false };
    expect(createSecretStore({ directory, systemCipher: cipher, preference: 'system' }).state.backend).toBe(
      'passphrase',
    );
  });

  it('leaves an author who chose a passphrase with it', async () => {
    await open().unlock('p');
    expect(createSecretStore({ directory, systemCipher: cipherOf('mine') }).state.backend).toBe('passphrase');
  });
});

describe('memory', () => {
  it('writes nothing, and moves into a vault once one is wanted', async () => {
    const store = open();
    const states: string[] = [];
    store.onState(({ backend, state }) => states.push(`${backend} ${state}`));
    await store.keepInMemory();
    await store.set('model-provider/openai', CANARY);
    expect(store.state.detail).toContain('this session only');
    expect(readdirSync(directory)).toEqual([]);

    await store.unlock('p');
    const later = open();
    await later.unlock('p');
    expect(await later.get('model-provider/openai')).toBe(CANARY);
    expect(states).toEqual(['memory open', 'passphrase open']);
  });
});
