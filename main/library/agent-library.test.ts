import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSummary } from '#shared/ipc/routes.ts';
import { agentDetailSchema, agentSummarySchema } from '#shared/ipc/routes.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { writeBundle } from './archive/bundle.ts';
import { writeArchive } from './archive/write-archive.ts';
import { openLibraries } from '#test/support/open-libraries.ts';

const report = {
  name: '@slipway/report',
  version: 'v1.2.3',
  type: 'agent',
  schema_version: '0.2',
  display_name: 'Report',
  description: 'Makes a report',
  author: 'Slipway',
  input: {
    schema: {
      type: 'object',
      properties: {
        table: { type: 'string', format: 'uri', contentMediaType: 'text/csv' },
        title: { type: 'string' },
      },
      required: ['table'],
    },
    file_constraints: { table: { accept: '.csv', max_size: 5000 } },
    ui_hints: { title: { placeholder: 'T' } },
    property_order: ['title'],
  },
  output: { schema: { type: 'object', properties: { rows: { type: 'integer' } } } },
  timeout: 9000,
  runtime_tools: ['output', 'note'],
  dependencies: { integrations: { '@you/mail': '*' } },
  _meta: {
    'app.slipway/examples': {
      files: { table: ['examples/a.csv', 'examples/gone.csv'] },
      input: { title: 'Sales' },
    },
  },
};

let base: string;
let samplesFolder: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slipway-library-'));
  samplesFolder = join(base, 'samples');
  await writeAgent(join(samplesFolder, '@slipway', 'report'), report);
  await mkdir(join(samplesFolder, '@slipway', 'report', 'examples'));
  await writeFile(join(samplesFolder, '@slipway', 'report', 'examples', 'a.csv'), 'a\n1\n');
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function writeAgent(
  folder: string,
  manifest: unknown,
  prompt: string | undefined = 'Do it.',
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest, null, 2);
  await writeFile(join(folder, 'manifest.json'), text);
  if (prompt !== undefined) await writeFile(join(folder, 'prompt.md'), prompt);
}

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => new Error('not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.problem;
  throw error;
}

describe('the library', () => {
  it('lists the samples as cards the contract takes', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const agents = await library.list();
    expect(agents).toEqual([
      {
        id: '@slipway/report',
        version: '1.2.3',
        displayName: 'Report',
        description: 'Makes a report',
        origin: 'sample',
        errorCount: 0,
        tools: ['output', 'note'],
        inputFieldCount: 2,
      },
    ]);
    expect(agentSummarySchema.array().parse(agents)).toEqual(agents);
  });

  it('gives all that the page of an agent shows, but examples that are there only', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const detail = await library.get('@slipway/report');
    expect(agentDetailSchema.parse(detail)).toEqual(detail);
    expect(detail).toMatchObject({
      input: {
        schema: report.input.schema,
        fileConstraints: { table: { accept: '.csv', maxSize: 5000 } },
        hints: { title: { placeholder: 'T' } },
        order: ['title'],
      },
      timeoutSeconds: 1800,
      runtimeTools: ['output', 'note'],
      examples: [{ field: 'table', path: 'examples/a.csv', name: 'a.csv', size: 4 }],
      exampleInput: { title: 'Sales' },
    });
    expect(detail.files.map(({ path }) => path)).toEqual(['examples/a.csv', 'manifest.json', 'prompt.md']);
    const missing = detail.findings.find(({ code }) => code === 'examples_invalid');
    expect(missing?.pointer).toBe('/_meta/app.slipway~1examples/files/table/1');
  });

  it('loads an agent to run with its tools, and warns of what is left out', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const agent = await library.load('@slipway/report');
    expect(agent).toMatchObject({
      id: '@slipway/report',
      version: '1.2.3',
      promptText: 'Do it.',
      runtimeTools: ['output', 'note'],
      timeoutSeconds: 1800,
      outputSchema: report.output.schema,
      fileConstraints: { table: { accept: '.csv', maxSize: 5000 } },
    });
    expect(JSON.parse(agent.manifestText)).toEqual(report);
    expect(agent.warnings.map(({ code }) => code)).toEqual([
      'timeout_above_ceiling',
      'dependency_unresolved',
    ]);
  });

  it('shows a broken sample with its errors and refuses to run it with every one of them', async () => {
    await writeAgent(
      join(samplesFolder, '@slipway', 'broken'),
      { ...report, name: 'Broken', timeout: 0 },
      ' ',
    );
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    expect(await library.list()).toMatchObject([{ id: 'Broken', errorCount: 3 }, { id: '@slipway/report' }]);
    const detail = await library.get('Broken');
    expect(detail.findings.map(({ file, code }) => `${file} ${code}`)).toContain('prompt.md prompt_blank');
    const problem = await problemOf(library.load(join(samplesFolder, '@slipway', 'broken')));
    expect(problem).toMatchObject({ code: 'package_invalid', file: 'manifest.json', line: 2, column: 11 });
    expect(problem.causes?.map(({ pointer }) => pointer)).toEqual(['/name', '/timeout', '']);
    expect(problem.causes?.[1]?.detail).toMatch(/^manifest\.json:\d+:\d+: "timeout" must be/);
  });

  it('runs an agent from a folder, absolute or not, and holds its author to the rules of today', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const folder = join(base, 'mine');
    await writeAgent(folder, { ...report, name: '@me/mine', runtime_tools: ['output', 'report'] });
    const problem = await problemOf(library.load(folder));
    expect(problem.causes).toMatchObject([{ code: 'runtime_tool_unknown', pointer: '/runtime_tools/1' }]);

    await writeAgent(folder, { ...report, name: '@me/mine' });
    expect((await library.load(folder)).id).toBe('@me/mine');
  });

  it('runs an agent from an archive, as its author means it, and from a bundle, as it was published', async () => {
    const old = { ...report, name: '@me/old', version: '1.2.3', runtime_tools: ['report', 'output'] };
    const files = new Map([
      ['manifest.json', Buffer.from(JSON.stringify(old))],
      ['prompt.md', Buffer.from('Do it.')],
    ]);
    const { bytes } = await writeBundle({
      root: '@me/old@1.2.3',
      packages: new Map([['@me/old@1.2.3', files]]),
    });
    await writeFile(join(base, 'old.afps'), await writeArchive(files));
    await writeFile(join(base, 'old.afps-bundle'), bytes);
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    expect((await problemOf(library.load(join(base, 'old.afps')))).causes).toMatchObject([
      { code: 'runtime_tool_unknown' },
    ]);
    const agent = await library.load(join(base, 'old.afps-bundle'));
    expect(agent).toMatchObject({ id: '@me/old', runtimeTools: ['output'], promptText: 'Do it.' });
  });

  it('says what is wrong with an archive that cannot be read', async () => {
    await writeFile(join(base, 'broken.afps'), 'PK but no more');
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    expect((await problemOf(library.load(join(base, 'broken.afps')))).code).toBe('archive_invalid');
  });

  it('keeps a sample with a withdrawn tool running without it', async () => {
    await writeAgent(join(samplesFolder, '@slipway', 'old'), {
      ...report,
      name: '@slipway/old',
      runtime_tools: ['report', 'output'],
    });
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const agent = await library.load('@slipway/old');
    expect(agent.runtimeTools).toEqual(['output']);
    expect(agent.warnings.map(({ code }) => code)).toContain('runtime_tool_unknown');
    const sameFolder = await problemOf(library.load(join(samplesFolder, '@slipway', 'old')));
    expect(sameFolder.code).toBe('package_invalid');
  });

  it.each([
    ['an unknown id', '@slipway/reprot', 'agent_unknown', /@slipway\/report/],
    [
      'a folder that is not there',
      './no/such/folder',
      'agent_unknown',
      /There is no folder .*no\/such\/folder/,
    ],
    ['a word', 'report', 'agent_unknown', /no folder or archive of that name/],
  ])('says what is wrong with %s', async (_, name, code, message) => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const problem = await problemOf(library.load(name));
    expect(problem.code).toBe(code);
    expect(`${problem.detail} ${problem.action ?? ''}`).toMatch(message);
  });

  it.each([
    ['no manifest', undefined, 'manifest_missing'],
    ['a manifest that is no JSON', '{ "name": 1, }', 'json_syntax'],
    ['a manifest in another encoding', Buffer.from('{"name":"\xe9"}', 'latin1'), 'file_unreadable'],
    ['an old provider', '{"type":"provider","name":"@a/b"}', 'dialect_legacy'],
  ])('refuses a folder with %s', async (_, manifest, code) => {
    const folder = join(base, 'mine');
    await mkdir(folder);
    await writeFile(join(folder, 'prompt.md'), 'x');
    if (manifest !== undefined) await writeFile(join(folder, 'manifest.json'), manifest);
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const problem = await problemOf(library.load(folder));
    expect(problem.code).toBe('package_invalid');
    expect(problem.causes).toMatchObject([{ code }]);
  });

  it('refuses to run a package that is no agent', async () => {
    const skill = { name: '@a/skill', version: '1.0.0', type: 'skill' };
    await writeAgent(join(base, 'skill'), skill, undefined);
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    expect((await problemOf(library.load(join(base, 'skill')))).detail).toMatch(/Only agents can be run/);
  });

  it('sees a change on disk and tells its listeners', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const told: AgentSummary[][] = [];
    using _stop = { [Symbol.dispose]: library.onChange((agents) => told.push(agents)) };
    await library.list();
    await library.list();
    expect(told).toEqual([]);
    await writeAgent(join(samplesFolder, '@slipway', 'report'), { ...report, display_name: 'Renamed' });
    expect(await library.list()).toMatchObject([{ displayName: 'Renamed' }]);
    expect(told).toMatchObject([[{ displayName: 'Renamed' }]]);
  });

  it('opens an example and nothing else', async () => {
    await using libraries = await openLibraries({ samplesFolder });
    const library = libraries.agents;
    const example = await library.openExample('@slipway/report', 'examples/a.csv');
    expect(await text(example.stream)).toBe('a\n1\n');
    for (const path of ['../../../etc/hostname', 'examples/none.csv', '/etc/hostname']) {
      expect((await problemOf(library.openExample('@slipway/report', path))).code).toBe('file_unknown');
    }
  });
});
