import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readArchive } from '#main/library/archive/read-archive.ts';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { importPreviewSchema } from '#shared/ipc/library-routes.ts';
import { findingSchema } from '#shared/manifest/finding.ts';
import { serveGitHubArchives, type GitHubArchives } from '#test/peers/github-archives.ts';
import { agentFiles, integrationFiles, skillFiles, type Files } from '#test/support/test-packages.ts';
import { root } from '../../scripts/lib/build-state.ts';

let folder: string;
let archives: GitHubArchives;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-commands-'));
  archives = await serveGitHubArchives();
  write('agent', needingAgent());
  write('skill', skillFiles('@you/words'));
  write('mail', integrationFiles('@you/mail'));
});
afterAll(async () => {
  await archives?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function needingAgent(more: Readonly<Record<string, unknown>> = {}): Files {
  return agentFiles('@you/agent', {
    dependencies: { skills: { '@you/words': '^1.0.0' }, integrations: { '@you/mail': '^1.0.0' } },
    integrations_configuration: { '@you/mail': { tools: ['api_call'] } },
    ...more,
  });
}

function write(name: string, files: Files): string {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), content);
  }
  return join(folder, name);
}

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the built program as a terminal does, in a folder of the test. */
function slipway(...words: string[]): Promise<Outcome> {
  const program = join(root, 'out', 'cli', 'slipway.js');
  const environment = {
    ...process.env,
    SLIPWAY_DATA_DIR: join(folder, 'data'),
    XDG_STATE_HOME: join(folder, 'state'),
    SLIPWAY_GITHUB_ARCHIVES: archives.base,
    NO_COLOR: '1',
  };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', program, ...words],
      { cwd: folder, env: environment },
      (error, output, errors) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
        resolve({ code, output, errors });
      },
    );
    child.stdin?.end();
  });
}

/** How many contents have a file of their own in a data folder. */
function keptFiles(data: string): number {
  const packages = join(data, 'packages');
  return existsSync(packages)
    ? readdirSync(packages, { recursive: true }).filter((name) => name.length > 2).length
    : 0;
}

/** What a library has of the package that was imported from an archive of the test's folder. */
async function exportedAs(name: string, data: string): Promise<'whole' | 'absent' | 'changed'> {
  const file = `${name}-again.afps`;
  const words = ['export', `@you/${name}`, '--data-dir', data, '--out', file, '--force'];
  const { code, errors } = await slipway(...words);
  if (code !== 0) return errors.includes(`There is no package "@you/${name}"`) ? 'absent' : 'changed';
  const isSame = readFileSync(join(folder, file)).equals(readFileSync(join(folder, `${name}.afps`)));
  return isSame ? 'whole' : 'changed';
}

const validated = z.object({ ok: z.boolean(), findings: z.array(findingSchema) });
const imported = z.object({
  preview: importPreviewSchema,
  imported: z.array(z.object({ name: z.string(), version: z.string(), as: z.string() })),
  problems: z.array(z.object({ code: z.string() })),
});

describe('slipway validate', () => {
  test('says of a good folder that it is good, and of a bad one where it is not, by its exit code too', async () => {
    const good = await slipway('validate', 'agent', '--json');
    expect([good.code, good.errors]).toEqual([0, '']);
    expect(validated.parse(JSON.parse(good.output))).toEqual({ ok: true, findings: [] });
    write('bad', needingAgent({ version: '1.0' }));
    const bad = await slipway('validate', 'bad', '--json');
    expect(bad.code).toBe(1);
    const { ok, findings } = validated.parse(JSON.parse(bad.output));
    expect(ok).toBe(false);
    expect(findings).toMatchObject([
      {
        code: 'field_value',
        severity: 'error',
        pointer: '/version',
        line: 3,
        column: 14,
        fix: { title: 'Write "1.0.0"' },
      },
    ]);
    const gone = await slipway('validate', 'gone', '--json');
    expect([gone.code, gone.output]).toEqual([2, '']);
    expect(gone.errors).toContain('There is nothing at');
    expect(gone.errors).not.toMatch(/\n\s+at /);
  });
});

describe('slipway pack', () => {
  test('writes the same bytes each time, under a name of its own, and over nothing', async () => {
    const first = await slipway('pack', 'agent');
    expect(first.code).toBe(0);
    const name = 'you-agent-1.0.0.afps';
    const bytes = readFileSync(join(folder, name));
    expect((await readArchive(bytes)).files).toEqual(needingAgent());
    const again = await slipway('pack', 'agent');
    expect(again.code).toBe(2);
    expect(again.errors).toContain('--force');
    const forced = await slipway('pack', 'agent', '--out', 'second.afps', '--json');
    expect(forced.code).toBe(0);
    expect(readFileSync(join(folder, 'second.afps'))).toEqual(bytes);
    expect((await slipway('validate', name)).code).toBe(0);
    expect((await slipway('pack', 'bad')).code).toBe(2);
    expect(existsSync(join(folder, 'you-agent-1.0.afps'))).toBe(false);
  });
});

describe('slipway import and export', () => {
  test('take nothing before somebody agrees, and tell what it would change', async () => {
    const asked = await slipway('import', 'agent', 'skill', 'mail');
    expect(asked.code).toBe(1);
    expect(asked.output).toContain('@you/agent 1.0.0 (agent, new) → draft');
    expect(asked.output).toContain('+ host api.mail.example: it may send the credential "main"');
    expect(asked.errors).toContain('Add --yes to agree');
    expect((await slipway('export', '@you/agent')).errors).toContain('There is no package "@you/agent"');
  });

  test('bring archives in as versions, and the same ones again as nothing new', async () => {
    for (const name of ['skill', 'mail']) await slipway('pack', name, '--out', `${name}.afps`);
    const words = ['import', 'second.afps', 'skill.afps', 'mail.afps', '--yes', '--json'];
    const first = await slipway(...words);
    expect(first.code).toBe(0);
    const outcome = imported.parse(JSON.parse(first.output));
    expect(outcome.imported.map(({ name, as }) => `${name} ${as}`).sort()).toEqual([
      '@you/agent version',
      '@you/mail version',
      '@you/words version',
    ]);
    const again = imported.parse(JSON.parse((await slipway(...words)).output));
    expect(again.imported).toEqual([]);
    expect(again.preview.items.map(({ state }) => state)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });

  test('tell of an upgrade what it gains through what it needs', async () => {
    const wider = integrationFiles('@you/mail', { version: '2.0.0' });
    const manifest = String(wider.get('manifest.json')).replace('api.mail.example', 'all.mail.example');
    write('wider', new Map(wider).set('manifest.json', Buffer.from(manifest)));
    write(
      'upgrade',
      needingAgent({
        version: '1.1.0',
        dependencies: { skills: { '@you/words': '^1.0.0' }, integrations: { '@you/mail': '^2.0.0' } },
      }),
    );
    for (const name of ['wider', 'upgrade']) await slipway('pack', name, '--out', `${name}.afps`);
    const { output } = await slipway('import', 'wider.afps', 'upgrade.afps');
    expect(output).toContain('+ host all.mail.example: @you/mail, which it needs, may send');
    expect(output).toContain('- host api.mail.example: @you/mail, which it needs, may send');
  });

  test('refuse what is broken with its place, and take the rest', async () => {
    writeFileSync(join(folder, 'broken.afps'), 'no archive');
    write('other', skillFiles('@you/other'));
    await slipway('pack', 'other', '--out', 'other.afps');
    const outcome = await slipway('import', 'broken.afps', 'other.afps', '--yes');
    expect(outcome.code).toBe(1);
    expect(outcome.errors).toContain('broken.afps: It does not begin like a ZIP archive.');
    expect(outcome.output).toContain('Imported @you/other 1.0.0');
  });

  test('leave each package whole or absent when they are killed, and go on at the next start', async () => {
    const data = join(folder, 'killed-data');
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      const files = new Map(skillFiles(`@you/${name}`));
      // Beyond what is kept in the database, so that each is a file of its own.
      for (let index = 0; index < 40; index += 1) files.set(`data/${index}.bin`, randomBytes(70_000));
      writeFileSync(join(folder, `${name}.afps`), await writeArchive(files));
    }
    const program = join(root, 'out', 'cli', 'slipway.js');
    const archiveNames = names.map((name) => `${name}.afps`);
    const words = ['import', '--yes', '--data-dir', data, ...archiveNames];
    const child = spawn(process.execPath, [program, ...words], { cwd: folder, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await expect.poll(() => keptFiles(data), { timeout: 20_000, interval: 1 }).toBeGreaterThan(45);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
    const states = [];
    for (const name of names) states.push(await exportedAs(name, data));
    expect(states).toContain('absent');
    expect(states).not.toContain('changed');
    expect((await slipway(...words)).code).toBe(0);
    for (const name of names) expect(await exportedAs(name, data)).toBe('whole');
  });

  test('read a repository, as drafts when asked to', async () => {
    await archives.put('ada/tools', 'main', {
      'a/SKILL.md': '---\nname: spell\ndescription: x\n---\nSpell.\n',
    });
    const outcome = await slipway('import', 'github.com/ada/tools/tree/main', '--yes', '--draft');
    expect([outcome.code, outcome.errors]).toEqual([0, '']);
    expect(outcome.output).toContain('Imported @ada/spell 1.0.0 as a draft');
    const gone = await slipway('import', 'https://github.com/ada/gone', '--yes');
    expect(gone.code).toBe(2);
    expect(gone.errors).toContain('GitHub has no public repository ada/gone');
  });

  test('write a bundle that another library takes whole, and a package in the older dialect', async () => {
    const bundle = await slipway('export', '@you/agent', '--bundle', '--out', 'all.afps-bundle', '--json');
    expect(bundle.code).toBe(0);
    expect(JSON.parse(bundle.output)).toMatchObject({
      packages: ['@you/agent@1.0.0', '@you/words@1.0.0', '@you/mail@1.0.0'],
      integrity: expect.stringMatching(/^sha256-/) as string,
    });
    const elsewhere = await slipway(
      'import',
      'all.afps-bundle',
      '--yes',
      '--data-dir',
      join(folder, 'other-data'),
    );
    expect(elsewhere.code).toBe(0);
    expect(elsewhere.output.match(/^Imported /gm)).toHaveLength(3);
    const older = await slipway('export', '@you/mail', '--dialect', '2.x', '--out', 'older.afps');
    expect(older.code).toBe(0);
    const { files } = await readArchive(readFileSync(join(folder, 'older.afps')));
    expect(JSON.parse(String(files.get('manifest.json')))).toMatchObject({
      schema_version: '2.0',
      source: { kind: 'api' },
    });
    expect((await slipway('export', '@you/mail', '--dialect', '1.x')).code).toBe(2);
    expect((await slipway('export', '@you/agent@9.9.9')).errors).toContain('There is 1.0.0');
    const locked = await slipway('export', '@you/agent', '--sign', '--out', 'signed.afps');
    expect(locked.code).toBe(2);
    expect(readdirSync(folder)).not.toContain('signed.afps');
  });
});
