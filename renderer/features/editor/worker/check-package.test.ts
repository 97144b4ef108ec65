import { expect, test } from 'vitest';
import { editJson } from '#shared/manifest/json-edit.ts';
import { validateManifest } from '#shared/manifest/validate.ts';
import type { LibraryPackage } from '../ports.ts';
import { checkDraft } from './check-package.ts';

const integrationText = JSON.stringify({
  type: 'integration',
  schema_version: '0.2',
  name: '@acme/mail',
  version: '2.0.0',
  source: { kind: 'none' },
  auths: {
    key: {
      type: 'api_key',
      authorized_uris: ['https://mail.example.com/**'],
      credentials: {
        schema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
      },
      delivery: { http: { in: 'header', name: 'authorization', value: 'Bearer {$credential.token}' } },
    },
  },
  _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
});

const mail: LibraryPackage = {
  name: '@acme/mail',
  type: 'integration',
  displayName: 'Mail',
  description: '',
  versions: ['2.0.0'],
  manifest: validateManifest(integrationText, { direction: 'author' }).manifest,
};

function agent(members: Record<string, unknown>): string {
  return JSON.stringify({
    type: 'agent',
    schema_version: '0.2',
    name: '@you/agent',
    version: '1.0.0',
    display_name: 'Agent',
    author: 'You',
    ...members,
  });
}

const codes = (manifestText: string, texts: Record<string, string> = { 'prompt.md': 'Do it.' }) =>
  checkDraft({ manifestText, paths: [], texts }, [mail]).map(({ code }) => code);

test('the integration at hand is a good one, so that the cases below are about the agent', () => {
  expect(mail.manifest?.type).toBe('integration');
});

test('what an agent takes is held against the library', () => {
  const manifestText = agent({
    dependencies: { integrations: { '@acme/mail': '^2.0.0' } },
    integrations_configuration: { '@acme/mail': { tools: ['api_call', 'nothing'] } },
  });
  expect(codes(manifestText)).toEqual(['unknown_tool']);
});

test('a dependency the library has not is told, at its name', () => {
  const manifestText = agent({ dependencies: { skills: { '@acme/none': '*', '@acme/mail': '*' } } });
  const findings = checkDraft({ manifestText, paths: [], texts: { 'prompt.md': 'x' } }, [mail]);
  expect(findings.map(({ code, pointer }) => [code, pointer])).toEqual([
    ['dependency_missing', '/dependencies/skills/@acme~1none'],
    ['dependency_type', '/dependencies/skills/@acme~1mail'],
  ]);
});

test('a range that no version fits is mended by its fix', () => {
  const manifestText = agent({
    dependencies: { integrations: { '@acme/mail': '^1.0.0' } },
    integrations_configuration: { '@acme/mail': { tools: ['api_call'] } },
  });
  const [finding] = checkDraft({ manifestText, paths: [], texts: { 'prompt.md': 'x' } }, [mail]);
  expect(finding?.code).toBe('dependency_version');
  expect(codes(editJson(manifestText, finding?.fix?.edits ?? []))).toEqual([]);
});

test('an empty prompt is told, one whose text is not loaded is not', () => {
  expect(codes(agent({}), { 'prompt.md': ' ' })).toEqual(['prompt_blank']);
  const draft = { manifestText: agent({}), paths: ['prompt.md'], texts: {} };
  expect(checkDraft(draft, [])).toEqual([]);
});
