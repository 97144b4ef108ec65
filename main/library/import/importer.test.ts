import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportItem } from '#shared/ipc/library-routes.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import {
  agentFiles,
  dropped,
  integrationFiles,
  serverFiles,
  skillFiles,
  type Files,
} from '#test/support/test-packages.ts';
import { writeArchive } from '../archive/write-archive.ts';
import { writeBundle } from '../archive/bundle.ts';
import { recordOf } from '../archive/package-record.ts';

const signal = new AbortController().signal;
let folder: string;
let libraries: OpenLibraries;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-importer-'));
  await mkdir(join(folder, 'samples'));
  libraries = await openLibraries({
    samplesFolder: join(folder, 'samples'),
    dataDirectory: join(folder, 'data'),
  });
});
afterEach(async () => {
  await libraries[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function preview(...packages: Files[]) {
  const archives = await Promise.all(packages.map((files) => writeArchive(files)));
  const files = new Map(archives.map((bytes, index) => [`${index}.afps`, bytes]));
  return libraries.packages.previewImport(dropped(files), signal);
}

async function take(...packages: Files[]): Promise<void> {
  const { token, items } = await preview(...packages);
  const decisions = items.map(({ id }) => ({ id, as: 'version' as const }));
  const { problems } = await libraries.packages.commitImport(token, decisions);
  expect(problems).toEqual([]);
}

function itemOf(items: readonly ImportItem[], name: string): ImportItem {
  const item = items.find((candidate) => candidate.name === name);
  if (item === undefined) throw new Error(`${name} was not found.`);
  return item;
}

/** Changes through other packages, as one line for each. */
function through({ changes }: ImportItem): string[] {
  return changes.reach.flatMap(({ change, kind, subject, through: by }) =>
    by === undefined ? [] : [`${change} ${by} ${kind} ${subject}`],
  );
}

const mailAgent = (more: Readonly<Record<string, unknown>> = {}, range = '^1.0.0'): Files =>
  agentFiles('@you/agent', {
    dependencies: { integrations: { '@mail/mail': range } },
    integrations_configuration: { '@mail/mail': { tools: ['api_call'] } },
    ...more,
  });

const evilAuth = (files: Files): Files =>
  new Map(files).set(
    'manifest.json',
    Buffer.from(
      String(files.get('manifest.json')).replace(
        'https://api.mail.example/**',
        'https://elsewhere.example/**',
      ),
    ),
  );

describe('what changes', () => {
  it('tells of a package that comes alone what it gains through those that are here', async () => {
    await take(integrationFiles('@mail/mail'), mailAgent());
    await take(evilAuth(integrationFiles('@mail/mail', { version: '2.0.0' })));
    const { items } = await preview(mailAgent({ version: '1.1.0' }, '^2.0.0'));
    expect(through(itemOf(items, '@you/agent'))).toEqual([
      'added @mail/mail host elsewhere.example',
      'removed @mail/mail host api.mail.example',
    ]);
    expect(itemOf(items, '@you/agent').changes.widens).toBe(true);
  });

  it('tells the same of packages that come together, and of what those need in turn', async () => {
    await take(integrationFiles('@mail/mail'), mailAgent());
    const local = integrationFiles('@mail/mail', {
      version: '2.0.0',
      source: { kind: 'local', server: { name: '@mail/server', version: '^1.0.0' } },
      default_tools: ['look'],
    });
    const agent = mailAgent(
      { version: '1.1.0', integrations_configuration: { '@mail/mail': { tools: ['look'] } } },
      '^2.0.0',
    );
    const { items } = await preview(agent, local, serverFiles('@mail/server'));
    const gained = through(itemOf(items, '@you/agent'));
    expect(gained).toContain('added @mail/mail tool look');
    expect(gained).toContain('added @mail/mail dependency @mail/server');
    expect(gained).toContain('added @mail/server script node server.js');
    expect(gained).toContain('added @mail/server script server.js');
  });

  it('compares two states of a package through the same library, so that only its own change is told', async () => {
    await take(integrationFiles('@mail/mail'), mailAgent());
    const manifest = evilAuth(integrationFiles('@mail/mail', { version: '1.1.0' })).get('manifest.json');
    await libraries.packages.save(
      '@mail/mail',
      [{ path: 'manifest.json', content: manifest ?? Buffer.alloc(0) }],
      {
        checkOnly: false,
      },
    );
    const prompt = [{ path: 'prompt.md', content: Buffer.from('Do it well.') }];
    await libraries.packages.save('@you/agent', prompt, { checkOnly: false });
    expect(await libraries.packages.compare('@you/agent', '1.0.0', 'draft')).toEqual({
      reach: [],
      step: 'patch',
      stepReasons: [],
      files: [{ path: 'prompt.md', change: 'changed' }],
      widens: false,
    });
  });

  it('ends where dependencies go in a circle or are not there', async () => {
    const circle = (name: string, other: string): Files =>
      skillFiles(name, { dependencies: { skills: { [other]: '*', '@no/where': '*' } } });
    const { items } = await preview(circle('@a/a', '@b/b'), circle('@b/b', '@a/a'));
    expect(through(itemOf(items, '@a/a'))).toEqual([
      'added @b/b dependency @a/a',
      'added @b/b dependency @no/where',
    ]);
  });
});

describe('packages of one name in one import', () => {
  const other = () => agentFiles('@you/a', { description: 'other' });
  const proposals = (items: readonly ImportItem[]) =>
    items.map(({ from, choices }) => `${from} ${choices[0]}`);

  it('are one where they are the very same, whatever the archive they came in', async () => {
    const packages = new Map([['@you/a@1.0.0', agentFiles('@you/a')]]);
    const { bytes } = await writeBundle({ root: '@you/a@1.0.0', packages });
    const archive = await writeArchive(agentFiles('@you/a'));
    const given = dropped({ '0.afps': archive, '1.afps': archive, '2.afps-bundle': bytes });
    const { token, items } = await libraries.packages.previewImport(given, signal);
    expect(items).toMatchObject([
      { from: '2.afps-bundle: @you/a@1.0.0', alsoFrom: ['0.afps', '1.afps'], rivals: [], state: 'new' },
    ]);
    const decisions = items.map(({ id }) => ({ id, as: 'version' as const }));
    expect((await libraries.packages.commitImport(token, decisions)).problems).toEqual([]);
  });

  it('are named where they have one version and other content, and one is proposed', async () => {
    const { token, items } = await preview(agentFiles('@you/a'), other(), agentFiles('@you/b'));
    expect(items.map(({ rivals }) => rivals)).toEqual([['1.afps'], ['0.afps'], []]);
    expect(proposals(items)).toEqual(['0.afps version', '1.afps skip', '2.afps version']);
    const all = items.map(({ id }) => ({ id, as: 'version' as const }));
    const { imported, problems } = await libraries.packages.commitImport(token, all);
    expect(imported.map(({ name }) => name)).toEqual(['@you/a', '@you/b']);
    expect(problems).toMatchObject([
      { code: 'import_rival', detail: expect.stringMatching(/1\.afps.*0\.afps/) },
    ]);
  });

  it('may be taken as a version and a draft', async () => {
    const { token } = await preview(agentFiles('@you/a'), other());
    const decisions = [
      { id: '0', as: 'draft' as const },
      { id: '1', as: 'version' as const },
    ];
    const { imported, problems } = await libraries.packages.commitImport(token, decisions);
    expect([imported.map(({ as }) => as), problems]).toEqual([['draft', 'version'], []]);
  });

  it('are all taken where their versions differ, and as a draft the highest', async () => {
    const later = agentFiles('@you/a', { version: '1.10.0' });
    const earlier = agentFiles('@you/a', { version: '1.9.0' });
    expect(proposals((await preview(earlier, later)).items)).toEqual(['0.afps version', '1.afps version']);
    const [a, b] = [earlier, later].map((files) =>
      new Map(files).set(
        'manifest.json',
        Buffer.from(String(files.get('manifest.json')).replace('"author": "Ada"', '"author": ""')),
      ),
    );
    if (a === undefined || b === undefined) throw new Error('There are two.');
    expect(proposals((await preview(a, b)).items)).toEqual(['0.afps skip', '1.afps draft']);
  });

  it('of two types are not both taken', async () => {
    const { items } = await preview(agentFiles('@you/a'), skillFiles('@you/a', { version: '2.0.0' }));
    expect(items.map(({ rivals }) => rivals)).toEqual([['1.afps'], ['0.afps']]);
    expect(proposals(items).filter((proposal) => proposal.endsWith('skip'))).toHaveLength(1);
  });

  it('that cannot be taken at all are no rivals, whatever they say their version is', async () => {
    const { items } = await preview(agentFiles('@you/a', { version: 'banana' }), agentFiles('@you/a'));
    expect(items.map(({ rivals, choices }) => [rivals, choices[0]])).toEqual([
      [[], 'skip'],
      [[], 'version'],
    ]);
  });
});

describe('a file named RECORD', () => {
  const withRecord = (text: string): Files => new Map(agentFiles('@you/a')).set('RECORD', Buffer.from(text));

  it('is content like any other, so that a version with another one is another', async () => {
    await take(withRecord('one'));
    expect(itemOf((await preview(withRecord('one'))).items, '@you/a').state).toBe('unchanged');
    const { items } = await preview(withRecord('two'));
    expect(itemOf(items, '@you/a')).toMatchObject({
      state: 'version_differs',
      changes: { files: [{ path: 'RECORD', change: 'changed' }] },
    });
  });

  it('is left out where it lists the files as a bundle does, so that both ways bring the same', async () => {
    await take(withRecord(recordOf(agentFiles('@you/a'))));
    const packages = new Map([['@you/a@1.0.0', agentFiles('@you/a')]]);
    const { bytes } = await writeBundle({ root: '@you/a@1.0.0', packages });
    const again = await libraries.packages.previewImport(dropped({ 'a.afps-bundle': bytes }), signal);
    expect(itemOf(again.items, '@you/a').state).toBe('unchanged');
  });
});

describe('an agent that comes with its integration', () => {
  it.each(['bundle', 'archives'])('is held against it in one %s', async (kind) => {
    const agent = mailAgent({ integrations_configuration: { '@mail/mail': { tools: ['nothing_such'] } } });
    const mail = integrationFiles('@mail/mail');
    const packages = new Map([
      ['@you/agent@1.0.0', agent],
      ['@mail/mail@1.0.0', mail],
    ]);
    const { items } =
      kind === 'archives'
        ? await preview(agent, mail)
        : await libraries.packages.previewImport(
            dropped({ 'x.afps-bundle': (await writeBundle({ root: '@you/agent@1.0.0', packages })).bytes }),
            signal,
          );
    const { findings, choices } = itemOf(items, '@you/agent');
    expect(findings.map(({ code }) => code)).toContain('unknown_tool');
    expect(choices).toEqual(['draft', 'skip']);
  });
});

describe('mending before it is taken', () => {
  it('applies one fix or all, and what was mended comes as a draft without the signature it had', async () => {
    const broken = agentFiles('@you/a', { version: '1.0', runtime_tools: ['log', 'report'], timeout: 60 });
    const { token, items } = await preview(broken);
    expect(items[0]).toMatchObject({ state: 'invalid', choices: ['skip'], mended: [] });
    const fixable = items[0]?.findings.filter(({ fix }) => fix !== undefined) ?? [];
    expect(fixable).toHaveLength(2);
    const one = await libraries.packages.mendImport(token, '0', fixable[0]);
    expect(one.items[0]?.mended).toEqual([fixable[0]?.fix?.title]);
    const all = await libraries.packages.mendImport(token, '0');
    expect(all).toMatchObject({
      token,
      items: [{ state: 'new', version: '1.0.0', choices: ['draft', 'version', 'skip'] }],
    });
    expect(all.items[0]?.mended).toHaveLength(2);
    await libraries.packages.commitImport(token, [{ id: '0', as: 'draft' }]);
    const { manifestText } = await libraries.packages.detail('@you/a');
    expect(JSON.parse(manifestText)).toMatchObject({ version: '1.0.0', runtime_tools: ['log'], timeout: 60 });
  });

  it('counts for those that come with it', async () => {
    const mail = integrationFiles('@mail/mail', { version: '1.0' });
    const agent = mailAgent({ integrations_configuration: { '@mail/mail': { tools: ['nothing_such'] } } });
    const { token, items } = await preview(agent, mail);
    expect(itemOf(items, '@you/agent').findings).toEqual([]);
    const mended = await libraries.packages.mendImport(token, '1');
    expect(itemOf(mended.items, '@you/agent').findings.map(({ code }) => code)).toContain('unknown_tool');
  });

  it('says so when there is nothing to mend', async () => {
    const { token } = await preview(agentFiles('@you/a', { timeout: 'never' }));
    for (const id of ['0', '7']) {
      await expect(libraries.packages.mendImport(token, id)).rejects.toMatchObject({
        problem: { code: 'fix_unknown' },
      });
    }
    await expect(libraries.packages.mendImport('other', '0')).rejects.toMatchObject({
      problem: { code: 'import_unknown' },
    });
  });
});

describe('a draft that is here', () => {
  const edit = async (text: string) =>
    libraries.packages.save('@you/a', [{ path: 'prompt.md', content: Buffer.from(text) }], {
      checkOnly: false,
    });

  it('is not lost to an import that was shown before it was saved', async () => {
    await take(agentFiles('@you/a'));
    const { token } = await preview(agentFiles('@you/a', { version: '2.0.0' }));
    await edit('Written meanwhile.');
    const { imported, problems } = await libraries.packages.commitImport(token, [{ id: '0', as: 'draft' }]);
    expect([imported, problems.map(({ code }) => code)]).toEqual([[], ['draft_conflict']]);
    expect((await libraries.packages.detail('@you/a')).content?.text).toBe('Written meanwhile.');
  });

  it('is not replaced while it follows a folder', async () => {
    await mkdir(join(folder, 'a'));
    for (const [path, content] of agentFiles('@you/a')) await writeFile(join(folder, 'a', path), content);
    await libraries.packages.watchFolder(join(folder, 'a'));
    const { items } = await preview(agentFiles('@you/a', { version: '2.0.0' }));
    expect(items[0]?.choices).toEqual(['version', 'skip']);
  });
});

it('calls a package that cannot be taken what it says it is', async () => {
  const files = new Map(agentFiles('@you/mute'));
  files.delete('prompt.md');
  const { items } = await preview(files);
  expect(itemOf(items, '@you/mute')).toMatchObject({ type: 'agent', state: 'invalid', choices: ['skip'] });
});
