import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { libraryStateSchema, packageDetailSchema, importPreviewSchema } from '#shared/ipc/library-routes.ts';
import type { DependencyNode, ImportItem, LibraryState } from '#shared/ipc/library-routes.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import {
  agentFiles,
  dropped,
  integrationFiles,
  serverFiles,
  skillFiles,
  type Files,
} from '#test/support/test-packages.ts';
import { readArchive } from './archive/read-archive.ts';
import { writeBundle } from './archive/bundle.ts';
import { writeArchive } from './archive/write-archive.ts';

const signal = new AbortController().signal;

let samplesFolder: string;
let libraries: OpenLibraries;

beforeEach(async () => {
  samplesFolder = await mkdtemp(join(tmpdir(), 'slipway-samples-'));
  libraries = await openLibraries({ samplesFolder });
});
afterEach(async () => {
  await libraries[Symbol.asyncDispose]();
  await rm(samplesFolder, { recursive: true, force: true });
});

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => new Error('not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.problem;
  throw error;
}

function edits(files: Files): { path: string; content: Buffer }[] {
  return [...files].map(([path, content]) => ({ path, content }));
}

async function save(name: string, files: Files, basedOn?: number): Promise<number> {
  const saved = await libraries.packages.save(name, edits(files), { basedOn, checkOnly: false });
  return saved.draftId;
}

async function publish(name: string, files: Files): Promise<void> {
  await save(name, files);
  await libraries.packages.publish(name);
}

async function importAll(
  given: Parameters<OpenLibraries['packages']['previewImport']>[0],
): Promise<{ items: ImportItem[]; imported: { name: string; version: string; as: string }[] }> {
  const preview = await libraries.packages.previewImport(given, signal);
  expect(importPreviewSchema.parse(preview)).toEqual(preview);
  expect(preview.problems).toEqual([]);
  const decisions = preview.items.map(({ id, choices }) => ({ id, as: choices[0] ?? ('skip' as const) }));
  const { imported, problems } = await libraries.packages.commitImport(preview.token, decisions);
  expect(problems).toEqual([]);
  return { items: preview.items, imported };
}

async function summaryOf(name: string): Promise<LibraryState['packages'][number] | undefined> {
  const state = await libraries.packages.state();
  expect(libraryStateSchema.parse(state)).toEqual(state);
  return state.packages.find((entry) => entry.name === name);
}

describe('a draft', () => {
  it('is saved with errors that only publishing forbids, and refused with the others and their places', async () => {
    const authorless = agentFiles('@you/a', { author: undefined });
    await save('@you/a', authorless);
    expect(await summaryOf('@you/a')).toMatchObject({
      state: 'draft',
      draftVersion: '1.0.0',
      errorCount: 0,
      publishErrorCount: 1,
    });
    const refused = await problemOf(libraries.packages.publish('@you/a'));
    expect(refused).toMatchObject({ code: 'package_invalid', causes: [{ code: 'author_missing' }] });

    const broken = agentFiles('@you/a', { timeout: 0 });
    const problem = await problemOf(save('@you/a', broken));
    expect(problem).toMatchObject({ code: 'package_invalid', file: 'manifest.json', pointer: '/timeout' });
    expect((await libraries.packages.detail('@you/a')).manifestText).not.toContain('timeout');
  });

  it('is checked without being saved when that is asked for', async () => {
    const checked = await libraries.packages.save('@you/a', edits(agentFiles('@you/a', { timeout: 0 })), {
      checkOnly: true,
    });
    expect(checked.findings.map(({ pointer }) => pointer)).toContain('/timeout');
    expect(await summaryOf('@you/a')).toBeUndefined();
  });

  it('refuses the retired tools of an author, naming the field and what to use', async () => {
    const problem = await problemOf(save('@you/a', agentFiles('@you/a', { runtime_tools: ['add_memory'] })));
    expect(problem.causes).toMatchObject([{ code: 'runtime_tool_unknown', pointer: '/runtime_tools/0' }]);
    expect(problem.causes?.[0]?.detail).toMatch(/Use "note" instead/);
  });

  it('keeps its name, whatever its manifest says', async () => {
    await save('@you/a', agentFiles('@you/a'));
    expect((await problemOf(save('@you/a', agentFiles('@you/b')))).code).toBe('package_rename_refused');
  });

  it('is not saved over by an editor that has not seen the last save', async () => {
    const first = await save('@you/a', agentFiles('@you/a'), 0);
    const second = await save('@you/a', agentFiles('@you/a', { description: 'x' }), first);
    expect((await problemOf(save('@you/a', agentFiles('@you/a'), first))).code).toBe('draft_conflict');
    expect((await problemOf(save('@you/a', agentFiles('@you/a'), 0))).code).toBe('draft_conflict');
    await save('@you/a', agentFiles('@you/a'), second);
  });

  it('takes no file that an archive could not hold', async () => {
    for (const path of ['../x', '/x', 'a//b', 'C:x', 'prompt.md:hidden', 'a\\b']) {
      const files = [...edits(agentFiles('@you/a')), { path, content: Buffer.from('') }];
      const problem = await problemOf(libraries.packages.save('@you/a', files, { checkOnly: false }));
      expect([path, problem.code]).toEqual([path, 'file_path_unsafe']);
    }
    for (const paths of [['PROMPT.md'], ['Notes/a', 'notes/b'], ['Prompt.md/a']]) {
      const twice = paths.map((path) => ({ path, content: Buffer.from('') }));
      const files = [...edits(agentFiles('@you/a')), ...twice];
      const problem = await problemOf(libraries.packages.save('@you/a', files, { checkOnly: false }));
      expect([paths, problem.code]).toEqual([paths, 'file_path_unsafe']);
    }
  });
});

describe('versions', () => {
  it('only go up, and never change', async () => {
    await publish('@you/a', agentFiles('@you/a', { version: '1.1.0' }));
    expect(await summaryOf('@you/a')).toMatchObject({ state: 'published', latestVersion: '1.1.0' });
    await save('@you/a', agentFiles('@you/a', { version: '1.1.0', description: 'other' }));
    expect(await summaryOf('@you/a')).toMatchObject({ state: 'modified' });
    expect((await problemOf(libraries.packages.publish('@you/a'))).code).toBe('version_exists');
    expect((await problemOf(libraries.packages.publish('@you/a', '1.0.9'))).code).toBe('version_not_higher');
    expect((await problemOf(libraries.packages.publish('@you/a', '1.1.0+other'))).code).toBe(
      'version_exists',
    );
    const detail = await libraries.packages.detail('@you/a');
    expect(detail.nextVersions).toEqual(['1.1.1', '1.2.0', '2.0.0']);
    await libraries.packages.publish('@you/a', '1.1.1');
    const old = await libraries.packages.detail('@you/a', '1.1.0');
    expect(old.manifestText).not.toContain('other');
    await save('@you/a', agentFiles('@you/a', { version: '1.1.1', description: 'other' }));
    expect((await problemOf(libraries.packages.publish('@you/a'))).code).toBe('no_changes');
    expect((await problemOf(libraries.packages.publish('@you/none'))).code).toBe('package_unknown');
  });

  it('are withdrawn and brought back; a range passes over them, an exact version does not', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    await publish('@you/a', agentFiles('@you/a', { version: '1.1.0' }));
    await libraries.packages.tag('@you/a', 'stable', '1.1.0');
    await libraries.packages.yank('@you/a', '1.1.0', 'It loses mail.');
    expect(await summaryOf('@you/a')).toMatchObject({ latestVersion: '1.0.0', versionCount: 2 });
    expect((await libraries.agents.load('@you/a@^1.0.0')).version).toBe('1.0.0');
    expect((await libraries.agents.load('@you/a')).version).toBe('1.0.0');
    expect((await libraries.agents.load('@you/a@1.1.0')).version).toBe('1.1.0');
    expect((await problemOf(libraries.agents.load('@you/a@stable'))).code).toBe('version_unknown');
    const { versions } = await libraries.packages.detail('@you/a');
    expect(versions[0]).toMatchObject({ version: '1.1.0', yanked: { reason: 'It loses mail.' } });
    await libraries.packages.unyank('@you/a', '1.1.0');
    expect((await libraries.agents.load('@you/a@stable')).version).toBe('1.1.0');
  });

  it('have tags of their author, but none that moves by itself', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    await publish('@you/a', agentFiles('@you/a', { version: '2.0.0-rc.1' }));
    expect(await summaryOf('@you/a')).toMatchObject({ tags: { latest: '1.0.0' } });
    await libraries.packages.tag('@you/a', 'next', '2.0.0-rc.1');
    expect((await libraries.agents.load('@you/a@next')).version).toBe('2.0.0-rc.1');
    const { packages } = libraries;
    expect((await problemOf(packages.tag('@you/a', 'latest', '1.0.0'))).code).toBe('tag_protected');
    expect((await problemOf(packages.tag('@you/a', '1.0.0', '1.0.0'))).code).toBe('tag_invalid');
    expect((await problemOf(packages.tag('@you/a', 'x', '3.0.0'))).code).toBe('version_unknown');
    await packages.tag('@you/a', 'next', undefined);
    expect((await problemOf(libraries.agents.load('@you/a@next'))).code).toBe('version_unknown');
  });

  it('come back into the draft without what was withdrawn since', async () => {
    const old = agentFiles('@you/a', { runtime_tools: ['report', 'log'], dependencies: { tools: {} } });
    const { bytes } = await writeBundle({ root: '@you/a@1.0.0', packages: new Map([['@you/a@1.0.0', old]]) });
    const { items } = await importAll(dropped({ 'a.afps-bundle': bytes }));
    expect(items[0]).toMatchObject({
      state: 'new',
      dropped: ['runtime_tools: report', 'dependencies.tools'],
    });
    expect((await libraries.agents.load('@you/a')).runtimeTools).toEqual(['log']);
    const { dropped: left } = await libraries.packages.restore('@you/a', '1.0.0');
    expect(left).toEqual(['runtime_tools: report', 'dependencies.tools']);
    const { manifestText } = await libraries.packages.detail('@you/a', 'draft');
    expect(JSON.parse(manifestText)).toMatchObject({ runtime_tools: ['log'], dependencies: {} });
    const kept = await libraries.packages.detail('@you/a', '1.0.0');
    expect(kept.manifestText).toContain('report');
  });
});

describe('copying and deleting', () => {
  it('copies under a new name, as a draft that knows where it is from', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    await libraries.packages.fork('@you/a', undefined, '@me/copy');
    expect(await summaryOf('@me/copy')).toMatchObject({ state: 'draft', forkedFrom: '@you/a@1.0.0' });
    expect((await libraries.agents.load('@me/copy')).id).toBe('@me/copy');
    const { packages } = libraries;
    expect((await problemOf(packages.fork('@you/a', undefined, '@me/copy'))).code).toBe('package_name_taken');
    expect((await problemOf(packages.fork('@you/a', undefined, 'copy'))).code).toBe('package_name_invalid');
  });

  it('deletes only what nobody needs, or when its person insists', async () => {
    await publish('@you/skill', skillFiles('@you/skill'));
    await publish('@you/skill', skillFiles('@you/skill', { version: '1.1.0' }));
    await publish('@you/a', agentFiles('@you/a', { dependencies: { skills: { '@you/skill': '~1.0.0' } } }));
    const { packages } = libraries;
    expect((await packages.detail('@you/skill')).usedBy).toEqual([
      { name: '@you/a', version: '1.0.0', kind: 'skill', range: '~1.0.0' },
    ]);
    const problem = await problemOf(packages.remove('@you/skill', { force: false }));
    expect(problem).toMatchObject({
      code: 'package_used',
      causes: [{ detail: expect.stringContaining('@you/a 1.0.0') as string }],
    });
    await packages.remove('@you/skill', { version: '1.1.0', force: false });
    expect((await problemOf(packages.remove('@you/skill', { version: '1.0.0', force: false }))).code).toBe(
      'package_used',
    );
    await packages.remove('@you/skill', { force: true });
    expect(await summaryOf('@you/skill')).toBeUndefined();
    const { warnings } = await libraries.agents.load('@you/a');
    expect(warnings.map(({ code }) => code)).toEqual(['dependency_unresolved']);
    await packages.remove('@you/a', { force: false });
    expect(await libraries.agents.list()).toEqual([]);
  });
});

describe('dependencies', () => {
  it('are resolved as a tree, the server of a local integration too, and go into a run', async () => {
    await publish('@you/server', serverFiles('@you/server'));
    const local = integrationFiles('@you/local', {
      source: { kind: 'local', server: { name: '@you/server', version: '^1.0.0' } },
      default_tools: ['look'],
      _meta: {},
    });
    await publish('@you/local', local);
    await publish('@you/skill', skillFiles('@you/skill'));
    const agent = agentFiles('@you/a', {
      dependencies: {
        skills: { '@you/skill': '^1' },
        integrations: { '@you/local': '^1', '@you/gone': '*' },
      },
    });
    await save('@you/a', agent);
    const detail = await libraries.packages.detail('@you/a');
    expect(packageDetailSchema.parse(detail)).toEqual(detail);
    expect(flat(detail.dependencies)).toEqual([
      '@you/skill resolved 1.0.0',
      '@you/local resolved 1.0.0',
      '  @you/server resolved 1.0.0',
      '@you/gone missing ',
    ]);
    const run = await libraries.agents.load('@you/a');
    expect(run.packages.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'skill @you/skill',
      'integration @you/local',
      'mcp-server @you/server',
    ]);
    expect(await run.packages[0]?.source.readText('SKILL.md', 1000)).toContain('Do so.');
    expect(run.warnings).toEqual([
      expect.objectContaining({
        code: 'dependency_unresolved',
        detail: expect.stringContaining('@you/gone') as string,
      }),
    ]);
  });

  it('warn of a server that no integration brings, and of no skill', async () => {
    await publish('@you/server', serverFiles('@you/server'));
    await publish('@you/skill', skillFiles('@you/skill'));
    const dependencies = { skills: { '@you/skill': '^1' }, mcp_servers: { '@you/server': '^1' } };
    await save('@you/a', agentFiles('@you/a', { dependencies }));
    const { warnings } = await libraries.agents.load('@you/a');
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'dependency_not_served',
        detail: expect.stringContaining('@you/server 1.0.0') as string,
      }),
    ]);
  });

  it('are held against what the agent takes of them', async () => {
    await publish('@you/mail', integrationFiles('@you/mail'));
    const agent = agentFiles('@you/a', {
      dependencies: { integrations: { '@you/mail': '^1' } },
      integrations_configuration: { '@you/mail': { tools: ['api_call', 'fly'], scopes: ['fly'] } },
    });
    await save('@you/a', agent);
    const { findings } = await libraries.packages.detail('@you/a');
    expect(findings.map(({ code }) => code)).toEqual(['unknown_tool', 'scope_not_in_catalog']);
    expect((await problemOf(libraries.packages.publish('@you/a'))).code).toBe('package_invalid');
  });

  it('of a draft are drafts where they fit, of a version never', async () => {
    await publish('@you/skill', skillFiles('@you/skill'));
    await publish('@you/a', agentFiles('@you/a', { dependencies: { skills: { '@you/skill': '^1' } } }));
    await save('@you/skill', skillFiles('@you/skill', { version: '1.0.1' }));
    const versionsOf = async (id: string) =>
      (await libraries.agents.load(id)).packages.map(({ version }) => version);
    expect(await versionsOf('@you/a')).toEqual(['1.0.0']);
    await save(
      '@you/a',
      agentFiles('@you/a', { version: '1.0.1', dependencies: { skills: { '@you/skill': '^1' } } }),
    );
    expect(await versionsOf('@you/a')).toEqual(['1.0.1']);
    expect(await versionsOf('@you/a@1.0.0')).toEqual(['1.0.0']);
  });

  it('that go in a circle cannot be published, and are told with the way they go', async () => {
    await publish('@you/b', skillFiles('@you/b'));
    await publish('@you/a', skillFiles('@you/a', { dependencies: { skills: { '@you/b': '*' } } }));
    await save(
      '@you/b',
      skillFiles('@you/b', { version: '1.1.0', dependencies: { skills: { '@you/a': '*' } } }),
    );
    const problem = await problemOf(libraries.packages.publish('@you/b'));
    expect(problem.code).toBe('dependency_cycle');
    expect(problem.detail).toContain('@you/b → @you/a → @you/b');
  });
});

function flat(nodes: readonly DependencyNode[], indent = ''): string[] {
  return nodes.flatMap(({ name, state, version = '', dependencies }) => [
    `${indent}${name} ${state} ${version}`,
    ...flat(dependencies, `${indent}  `),
  ]);
}

describe('importing', () => {
  it('takes archives, folders and several packages in one go', async () => {
    const folder = new Map(
      [...skillFiles('@you/skill')].map(([path, bytes]): [string, Buffer] => [`pack/skill/${path}`, bytes]),
    );
    const given = new Map([
      ['a.afps', await writeArchive(agentFiles('@you/a'))],
      [
        'mail.zip',
        await writeArchive(
          new Map([...integrationFiles('@you/mail')].map(([path, bytes]) => [`mail-1/${path}`, bytes])),
        ),
      ],
      ...folder,
    ]);
    const { imported } = await importAll(dropped(given));
    expect(imported.map(({ name, as }) => `${name} ${as}`).sort()).toEqual([
      '@you/a version',
      '@you/mail version',
      '@you/skill version',
    ]);
    const { items } = await importAll(dropped(given));
    expect(items.map(({ state }) => state)).toEqual(['unchanged', 'unchanged', 'unchanged']);
  });

  it('tells what an upgrade would reach that the installed version does not', async () => {
    await publish('@you/mail', integrationFiles('@you/mail'));
    const next = integrationFiles('@you/mail', { version: '1.1.0' });
    const manifest = next.get('manifest.json')?.toString() ?? '';
    next.set(
      'manifest.json',
      Buffer.from(
        manifest
          .replace('https://api.mail.example/**', 'https://evil.example/**')
          .replace('"read"\n', '"read",\n"send"\n'),
      ),
    );
    next.set('scripts/run.sh', Buffer.from('rm -rf /'));
    const preview = await libraries.packages.previewImport(
      dropped({ 'x.afps': await writeArchive(next) }),
      signal,
    );
    expect(preview.items[0]).toMatchObject({ state: 'upgrade', installedVersion: '1.0.0' });
    expect(preview.items[0]?.changes.widens).toBe(true);
    expect(
      preview.items[0]?.changes.reach.map(({ kind, change, subject }) => `${change} ${kind} ${subject}`),
    ).toEqual([
      'added host evil.example',
      'added scope main: send',
      'added script scripts/run.sh',
      'removed host api.mail.example',
    ]);
    libraries.packages.cancelImport(preview.token);
    expect((await problemOf(libraries.packages.commitImport(preview.token, []))).code).toBe('import_unknown');
    expect(await summaryOf('@you/mail')).toMatchObject({ latestVersion: '1.0.0' });
  });

  it("never replaces a version, or a package of another type, and keeps an author's draft", async () => {
    await publish('@you/a', agentFiles('@you/a'));
    await save('@you/a', agentFiles('@you/a', { version: '1.0.1', description: 'mine' }));
    const other = await writeArchive(agentFiles('@you/a', { description: 'theirs' }));
    const skill = await writeArchive(skillFiles('@you/a'));
    const newer = await writeArchive(agentFiles('@you/a', { version: '2.0.0' }));
    const older = await writeArchive(agentFiles('@you/a', { version: '0.9.0' }));
    const given = dropped({ '1.afps': other, '2.afps': skill, '3.afps': newer, '4.afps': older });
    const preview = await libraries.packages.previewImport(given, signal);
    expect(preview.items.map(({ state, choices }) => `${state}: ${choices.join(' ')}`)).toEqual([
      'version_differs: draft skip',
      'type_mismatch: skip',
      'upgrade: version draft skip',
      'older: version draft skip',
    ]);
    const outcome = await libraries.packages.commitImport(preview.token, [
      { id: '0', as: 'version' },
      { id: '1', as: 'version' },
      { id: '2', as: 'version' },
      { id: '3', as: 'version' },
    ]);
    expect(outcome.problems.map(({ code }) => code)).toEqual([
      'import_choice_refused',
      'import_choice_refused',
    ]);
    expect(await summaryOf('@you/a')).toMatchObject({
      latestVersion: '2.0.0',
      draftVersion: '1.0.1',
      versionCount: 3,
    });
    expect((await libraries.packages.detail('@you/a')).manifestText).toContain('mine');
  });

  it('refuses retired tools in an archive, and drops them in a bundle', async () => {
    const old = agentFiles('@you/a', { runtime_tools: ['set_state', 'log'] });
    const preview = await libraries.packages.previewImport(
      dropped({ 'a.afps': await writeArchive(old) }),
      signal,
    );
    expect(preview.items[0]).toMatchObject({ state: 'invalid', choices: ['skip'] });
    expect(preview.items[0]?.findings[0]).toMatchObject({ pointer: '/runtime_tools/0' });
    expect(preview.items[0]?.findings[0]?.message).toMatch(/Use "pin"/);
  });

  it('tells of broken archives beside what can be read', async () => {
    const given = dropped({
      'bad.afps': Buffer.from('no zip'),
      'a.afps': await writeArchive(agentFiles('@you/a')),
    });
    const preview = await libraries.packages.previewImport(given, signal);
    expect(preview.problems).toMatchObject([{ code: 'archive_invalid' }]);
    expect(preview.problems[0]?.detail).toMatch(/^bad\.afps: /);
    expect(preview.items.map(({ name }) => name)).toEqual(['@you/a']);
    const nothing = await libraries.packages.previewImport(dropped({ 'x.txt': Buffer.from('x') }), signal);
    expect(nothing.problems).toMatchObject([{ code: 'import_nothing_found' }]);
  });

  it('makes a package of a skill that has none, and a higher version of it when it changed', async () => {
    const text = '---\nname: pdf-forms\ndescription: Fills forms.\n---\nFill.\n';
    const first = await importAll(dropped({ 'pdf/SKILL.md': Buffer.from(text) }));
    expect(first.imported).toEqual([{ name: '@local/pdf-forms', version: '1.0.0', as: 'version' }]);
    const again = await importAll(dropped({ 'pdf/SKILL.md': Buffer.from(text) }));
    expect(again.items[0]?.state).toBe('unchanged');
    const changed = await importAll(dropped({ 'pdf/SKILL.md': Buffer.from(`${text}More.`) }));
    expect(changed.imported).toEqual([{ name: '@local/pdf-forms', version: '1.0.1', as: 'version' }]);
  });
});

describe('exporting', () => {
  it('gives an archive that another library takes as the same', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    const made = await libraries.packages.holdExport({ name: '@you/a', format: 'afps', sign: false });
    expect(made).toMatchObject({ fileName: 'you-a-1.0.0.afps', packages: ['@you/a@1.0.0'] });
    const { bytes } = libraries.packages.heldExport(made.token);
    expect((await readArchive(bytes)).files).toEqual(agentFiles('@you/a'));
    await using other = await openLibraries({ samplesFolder });
    const preview = await other.packages.previewImport(dropped({ 'a.afps': bytes }), signal);
    await other.packages.commitImport(preview.token, [{ id: '0', as: 'version' }]);
    const [here, there] = await Promise.all([
      libraries.packages.detail('@you/a'),
      other.packages.detail('@you/a'),
    ]);
    expect(there.integrity).toBe(here.integrity);
  });

  it('is written in the other dialect when that is asked for, with the same meaning', async () => {
    await publish('@you/mail', integrationFiles('@you/mail'));
    const request = { name: '@you/mail', format: 'afps', sign: false } as const;
    const { bytes } = await libraries.packages.makeExport({ ...request, dialect: '2.x' });
    const { files } = await readArchive(bytes);
    expect(JSON.parse(String(files.get('manifest.json')))).toMatchObject({
      schema_version: '2.0',
      source: { kind: 'api', api: {} },
    });
    const same = await libraries.packages.makeExport({ ...request, dialect: '0.x' });
    expect(same.bytes).toEqual((await libraries.packages.makeExport(request)).bytes);
    const remote = integrationFiles('@you/remote', {
      source: { kind: 'remote', remote: { url: 'https://mcp.example/', transport: 'streamable-http' } },
      default_tools: [],
      auths: {
        main: {
          type: 'oauth2',
          authorized_uris: ['https://mcp.example/**'],
          delivery: { http: { in: 'header', name: 'Authorization', value: '{$credential.access_token}' } },
        },
      },
    });
    await publish('@you/remote', remote);
    const refused = libraries.packages.makeExport({ ...request, name: '@you/remote', dialect: '2.x' });
    expect(await problemOf(refused)).toMatchObject({
      code: 'dialect_impossible',
      causes: [{ code: 'oauth2_endpoints_missing' }],
    });
  });

  it('bundles all that is needed, or says what is missing', async () => {
    await publish('@you/server', serverFiles('@you/server'));
    const local = integrationFiles('@you/local', {
      source: { kind: 'local', server: { name: '@you/server', version: '1.0.0' } },
      default_tools: ['look'],
      _meta: {},
    });
    await publish('@you/local', local);
    await publish('@you/a', agentFiles('@you/a', { dependencies: { integrations: { '@you/local': '^1' } } }));
    const request = { name: '@you/a', format: 'afps-bundle', sign: false } as const;
    const made = await libraries.packages.makeExport(request);
    expect([...made.packages].sort()).toEqual(['@you/a@1.0.0', '@you/local@1.0.0', '@you/server@1.0.0']);
    await using other = await openLibraries({ samplesFolder });
    const preview = await other.packages.previewImport(dropped({ 'x.afps-bundle': made.bytes }), signal);
    expect(preview.items.map(({ name, isRoot }) => `${name} ${isRoot}`).sort()).toEqual([
      '@you/a true',
      '@you/local false',
      '@you/server false',
    ]);
    await libraries.packages.remove('@you/server', { force: true });
    const problem = await problemOf(libraries.packages.makeExport(request));
    expect(problem).toMatchObject({ code: 'dependency_unresolved' });
    expect(problem.causes?.[0]?.detail).toMatch(
      /@you\/server is not in the library \(needed by @you\/local\)/,
    );
  });

  it.each([
    ['a value of the vault', 'The key is hunter2hunter2, keep it.', /a secret that is in your vault/],
    ['a value of the vault in base64', Buffer.from('hunter2hunter2').toString('base64'), /your vault/],
    ['a token inside of a kept object', 'x=refresh-me-please', /your vault/],
    [
      'a private key',
      `-----BEGIN PRIVATE KEY-----\n${'MIIB'.repeat(20)}\n-----END PRIVATE KEY-----`,
      /private key/,
    ],
    ['a GitHub token', `token: ghp_${'a'.repeat(36)}`, /GitHub token/],
  ])('never lets %s out', async (_, content, message) => {
    await libraries.secrets.set('a', 'hunter2hunter2');
    await libraries.secrets.set(
      'b',
      JSON.stringify({ refresh_token: 'refresh-me-please', kind: 'authorization' }),
    );
    const files = agentFiles('@you/a').set('notes.txt', Buffer.from(content));
    await publish('@you/a', files);
    const problem = await problemOf(
      libraries.packages.makeExport({ name: '@you/a', format: 'afps', sign: false }),
    );
    expect(problem).toMatchObject({ code: 'export_has_secret', file: 'notes.txt' });
    expect(problem.detail).toMatch(message);
    expect(problem.detail).not.toContain('hunter2');
  });

  it('signs with a key of the app that only the vault has, which others may require', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    const signed = await libraries.packages.makeExport({ name: '@you/a', format: 'afps-bundle', sign: true });
    const plain = await libraries.packages.makeExport({ name: '@you/a', format: 'afps-bundle', sign: false });
    const single = await libraries.packages.makeExport({ name: '@you/a', format: 'afps', sign: true });
    const { own } = libraries.packages.signing();
    const seed = await libraries.secrets.get('library.signing-key');
    const kept = libraries.database
      .all('SELECT value FROM setting')
      .map((row) => String(row['value']))
      .join();
    expect(kept).toContain(own?.publicKey);
    expect(kept).not.toContain(seed);

    await using other = await openLibraries({ samplesFolder });
    other.packages.setSigning({ policy: 'required', trusted: own === undefined ? [] : [own] });
    const read = async (name: string, bytes: Buffer) =>
      other.packages.previewImport(dropped({ [name]: bytes }), signal);
    expect((await read('a.afps-bundle', plain.bytes)).problems).toMatchObject([
      { code: 'signature_required' },
    ]);
    expect((await read('a.afps', single.bytes)).problems).toEqual([]);
    const preview = await read('a.afps-bundle', signed.bytes);
    expect(preview.problems).toEqual([]);
    await other.packages.commitImport(preview.token, [{ id: '0', as: 'version' }]);
    const { versions, files } = await other.packages.detail('@you/a');
    expect(versions[0]?.origin).toMatchObject({ kind: 'bundle', signedBy: own?.keyId });
    expect(files.map(({ path }) => path)).toEqual(['manifest.json', 'prompt.md']);
    other.packages.setSigning({ policy: 'warn', trusted: [] });
    expect((await read('a.afps-bundle', signed.bytes)).warnings).toHaveLength(1);
    expect((await read('a.afps-bundle', plain.bytes)).warnings).toEqual([]);
  });
});

describe('the library', () => {
  it('tells its listeners of every change, agents too', async () => {
    const states: LibraryState[] = [];
    const agents: string[][] = [];
    libraries.packages.onChange((state) => states.push(state));
    libraries.agents.onChange((list) => agents.push(list.map(({ id }) => id)));
    await libraries.agents.list();
    await save('@you/a', agentFiles('@you/a'));
    await libraries.packages.discardDraft('@you/a');
    expect(states.map(({ packages }) => packages.map(({ name }) => name))).toEqual([['@you/a'], []]);
    expect(agents).toEqual([['@you/a'], []]);
  });

  it('compares two states of a package and reads a file of either', async () => {
    await publish('@you/a', agentFiles('@you/a'));
    const next = agentFiles('@you/a', { version: '1.1.0', runtime_tools: ['log'] }).set(
      'notes.md',
      Buffer.from('n'),
    );
    await save('@you/a', next);
    const report = await libraries.packages.compare('@you/a', '1.0.0', 'draft');
    expect(report.files).toEqual([
      { path: 'manifest.json', change: 'changed' },
      { path: 'notes.md', change: 'added' },
    ]);
    expect(report.reach).toMatchObject([{ kind: 'tool', subject: 'log', change: 'added' }]);
    const { stream } = await libraries.packages.openFile('@you/a', 'draft', 'notes.md');
    expect(await text(stream)).toBe('n');
    expect((await problemOf(libraries.packages.openFile('@you/a', '1.0.0', 'notes.md'))).code).toBe(
      'file_unknown',
    );
  });

  it('is there again after a restart', async () => {
    await publish('@you/a', agentFiles('@you/a').set('big.bin', Buffer.alloc(300_000, 7)));
    const { dataDirectory } = libraries;
    await using again = await openLibraries({ samplesFolder, dataDirectory });
    expect((await again.agents.list()).map(({ id }) => id)).toEqual(['@you/a']);
    const { stream } = await again.packages.openFile('@you/a', undefined, 'big.bin');
    expect((await text(stream)).length).toBe(300_000);
  });
});
