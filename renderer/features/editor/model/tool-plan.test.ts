import { describe, expect, test } from 'vitest';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { code, mail, testLibrary } from '../test-support/library.ts';
import { setRuntimeTool } from './agent-value.ts';
import { ManifestDocument, type ManifestValue } from './manifest-document.ts';
import { planTools, setMode, setTools, type SelectionMode } from './tool-plan.ts';

const integrationOf = (known: typeof mail) => known.manifest as IntegrationManifest;

function plan(manifest: ManifestValue) {
  const planned = planTools(manifest, testLibrary);
  const source = (id: string) => planned.sources.find((candidate) => candidate.id === id)!;
  return {
    ...planned,
    source,
    chosen: (id: string) => idsOf(source(id).tools.filter((tool) => tool.isChosen)),
  };
}

const idsOf = (tools: readonly { readonly id: string }[]) => tools.map(({ id }) => id);

const withCode = (tools?: unknown): ManifestValue => ({
  dependencies: { integrations: { '@acme/code': '^2.0.0' } },
  ...(tools === undefined ? {} : { integrations_configuration: { '@acme/code': { tools, own: 1 } } }),
});

describe('what an agent gets', () => {
  test('an absent list is the default, an empty one nothing, and a star everything', () => {
    expect(plan(withCode()).chosen('@acme/code')).toEqual(['list_issues']);
    expect(plan(withCode([])).chosen('@acme/code')).toEqual([]);
    expect(plan(withCode('*')).chosen('@acme/code')).toHaveLength(5);
    const modes = [withCode(), withCode([]), withCode('*'), withCode(['x'])].map(
      (manifest) => plan(manifest).source('@acme/code').selection?.mode,
    );
    expect(modes).toEqual(['default', 'none', 'all', 'chosen']);
  });

  test('either tool of the pair chooses both, and both count', () => {
    const manifest = {
      dependencies: { integrations: { '@acme/mail': '*' } },
      integrations_configuration: { '@acme/mail': { tools: ['api_upload'] } },
    };
    const without = plan({}).count;
    const { count, source, chosen } = plan(manifest);
    expect(chosen('@acme/mail')).toEqual(['api_call']);
    expect(source('@acme/mail').tools[0]?.wireNames).toEqual([
      'acme_mail__api_call',
      'acme_mail__api_upload',
    ]);
    expect(count).toBe(without + 2);
  });

  test('names are those the model sees, told apart in the order of the manifest', () => {
    const { source } = plan({ dependencies: { integrations: { '@acme/code': '*', '@acme.code': '*' } } });
    const names = source('@acme/code').tools.flatMap(({ wireNames }) => wireNames);
    expect(names).toContain('acme_code__search_code');
    expect(source('@acme.code').unknown).toContain('does not have');
  });

  test('a local integration has the tools of its server, with what they do', () => {
    const { source } = plan({ dependencies: { integrations: { '@acme/notes': '*' } } });
    expect(source('@acme/notes').tools.map(({ id, description }) => [id, description])).toEqual([
      ['search_notes', 'Finds notes by their text.'],
      ['add_note', 'Writes a note.'],
    ]);
  });

  test('a name an open server may know is a tool, one a closed one has not is a stray', () => {
    const open = plan(withCode(['list_issues', 'secret_tool'])).source('@acme/code');
    expect(idsOf(open.tools)).toContain('secret_tool');
    expect(open.strays).toEqual([]);
    const closed = plan({
      dependencies: { integrations: { '@acme/mail': '*' } },
      integrations_configuration: { '@acme/mail': { tools: ['nothing'] } },
    }).source('@acme/mail');
    expect(closed.strays).toEqual(['nothing']);
  });

  test('a definition that is known is counted, another is a guess', () => {
    const { tools } = plan(withCode()).source('@acme/code');
    expect(tools.find(({ id }) => id === 'list_issues')).toMatchObject({ isGuess: false });
    expect(tools.find(({ id }) => id === 'issue_write')).toMatchObject({ isGuess: true });
  });

  test('the runtime tools are those the manifest names, under their names of today', () => {
    expect(plan({ runtime_tools: ['publish_document', 'log'] }).chosen('runtime')).toEqual([
      'log',
      'publish_file',
      'run_history',
      'recall_memory',
    ]);
  });

  test('skills cost their line and are no tools', () => {
    const without = plan({});
    const withSkill = plan({ dependencies: { skills: { '@acme/csv': '*' } } });
    expect(withSkill.chosen('skills')).toEqual(['@acme/csv']);
    expect(without.source('skills').tools).toMatchObject([{ id: '@acme/csv', range: '^1.2.0' }]);
    expect(withSkill.count).toBe(without.count);
    expect(withSkill.tokens).toBeGreaterThan(without.tokens);
  });

  test('a change of one integration leaves the others as they were', () => {
    const dependencies = { integrations: { '@acme/code': '*', '@acme/mail': '*' } };
    const before = planTools({ dependencies }, testLibrary).sources;
    const configuration = { '@acme/code': { tools: ['list_issues', 'issue_write'] } };
    const after = planTools({ dependencies, integrations_configuration: configuration }, testLibrary).sources;
    const same = after.filter((source) => before.includes(source)).map(({ id }) => id);
    expect(same).toEqual(['@acme/mail']);
  });

  test('a withdrawn runtime tool is a stray, and unticking it takes it away', () => {
    const manifest = { runtime_tools: ['log', 'add-memory'] };
    expect(plan(manifest).source('runtime').strays).toEqual(['add-memory']);
    const document = new ManifestDocument(JSON.stringify(manifest));
    document.edit(setRuntimeTool(manifest, 'add-memory', false));
    expect(JSON.parse(document.text.text)).toEqual({ runtime_tools: ['log'] });
  });
});

describe('ticking', () => {
  function tick(
    manifest: ManifestValue,
    known: typeof mail,
    ids: string[],
    isChosen: boolean,
  ): ManifestValue {
    const document = new ManifestDocument(JSON.stringify(manifest));
    const source = plan(manifest).source(known.name);
    expect(document.edit(setTools(manifest, source, integrationOf(known), ids, isChosen))).toBeUndefined();
    return JSON.parse(document.text.text) as ManifestValue;
  }
  const toolsOf = (manifest: ManifestValue) =>
    (manifest as { integrations_configuration: Record<string, { tools: unknown }> })
      .integrations_configuration['@acme/code']?.tools;

  test('the first one makes a list of the default', () => {
    expect(toolsOf(tick(withCode(), code, ['issue_write'], true))).toEqual(['list_issues', 'issue_write']);
    expect(toolsOf(tick(withCode(), code, ['list_issues'], false))).toEqual([]);
  });

  test('one of "every tool" leaves all but that one', () => {
    const tools = toolsOf(tick(withCode('*'), code, ['issue_write'], false)) as string[];
    expect(tools).toHaveLength(4);
    expect(tools).not.toContain('issue_write');
  });

  test('several at once keeps the order of the rest and the other members', () => {
    const result = tick(
      withCode(['a', 'list_issues', 'b', 'issue_write', 'c']),
      code,
      ['issue_write', 'list_issues'],
      false,
    );
    expect(result['integrations_configuration']).toEqual({
      '@acme/code': { tools: ['a', 'b', 'c'], own: 1 },
    });
  });

  test('off takes both names of the pair', () => {
    const manifest = {
      dependencies: { integrations: { '@acme/mail': '*' } },
      integrations_configuration: { '@acme/mail': { tools: ['api_upload', 'api_call'] } },
    };
    expect(tick(manifest, mail, ['api_call'], false)).toMatchObject({
      integrations_configuration: { '@acme/mail': { tools: [] } },
    });
  });

  test.each<[SelectionMode, unknown]>([
    ['default', { '@acme/code': { own: 1 } }],
    ['none', { '@acme/code': { tools: [], own: 1 } }],
    ['all', { '@acme/code': { tools: '*', own: 1 } }],
    ['chosen', { '@acme/code': { tools: ['issue_write'], own: 1 } }],
  ])('the mode %s says what it means and keeps what else is there', (mode, expected) => {
    const manifest = withCode(['issue_write']);
    const document = new ManifestDocument(JSON.stringify(manifest));
    document.edit(setMode(manifest, plan(manifest).source('@acme/code'), integrationOf(code), mode));
    expect(JSON.parse(document.text.text)).toMatchObject({ integrations_configuration: expected as object });
  });

  test('back to the default leaves no empty container behind', () => {
    const manifest = {
      dependencies: { integrations: { '@acme/code': '*' } },
      integrations_configuration: { '@acme/code': { tools: ['issue_write'] } },
    };
    const document = new ManifestDocument(JSON.stringify(manifest));
    document.edit(setMode(manifest, plan(manifest).source('@acme/code'), integrationOf(code), 'default'));
    expect(JSON.parse(document.text.text)).toEqual({ dependencies: manifest.dependencies });
  });
});
