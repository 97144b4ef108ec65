import { describe, expect, test } from 'vitest';
import { testLibrary } from '../test-support/library.ts';
import { comesAlong, planScopes } from './scope-plan.ts';
import { scopeRisk } from '#shared/tools/scope-risk.ts';

function auth(choice: Record<string, unknown>, integration = '@acme/code', key = 'oauth') {
  const manifest = {
    dependencies: { integrations: { [integration]: '*' } },
    integrations_configuration: { [integration]: choice },
  };
  return planScopes(manifest, testLibrary)[0]!.auths.find((candidate) => candidate.key === key)!;
}

describe('scopes that will be asked', () => {
  test('each says why: the method’s default, the tools that need it, the author’s pin', () => {
    const { scopes } = auth({ tools: ['list_issues', 'issue_write'], scopes: ['admin:org'] });
    expect(scopes.map(({ value, reasons }) => [value, reasons])).toEqual([
      ['read:user', [{ kind: 'default' }]],
      [
        'issues',
        [
          { kind: 'tool', tool: 'list_issues' },
          { kind: 'tool', tool: 'issue_write' },
        ],
      ],
      ['admin:org', [{ kind: 'pinned' }]],
    ]);
  });

  test('a tool that needs much brings its scope, marked', () => {
    const { scopes } = auth({ tools: ['remove_member'] });
    expect(scopes.find(({ value }) => value === 'admin:org')).toMatchObject({
      label: 'Administer the organisation',
      risk: 'administers the account',
    });
  });

  test('a method without OAuth asks for none', () => {
    expect(auth({ tools: ['list_issues'] }, '@acme/code', 'pat').scopes).toEqual([]);
  });

  test('the named method is the chosen one', () => {
    expect(auth({ auth_key: 'pat' }, '@acme/code', 'pat').isChosen).toBe(true);
    expect(auth({ auth_key: 'pat' }, '@acme/code', 'oauth').isChosen).toBe(false);
  });

  test('what a connection lacks is told, and a new consent asks for what it has besides', () => {
    const plan = auth({ scopes: ['mail.send'] }, '@acme/mail', 'primary');
    expect(plan.connections.map(({ missing }) => missing)).toEqual([['mail.send']]);
    expect(plan.request).toEqual(['openid', 'mail.read', 'mail.send']);
  });

  test('a scope that another one implies comes along', () => {
    const plan = auth({}, '@acme/mail', 'primary');
    expect([...comesAlong(plan)]).toEqual(expect.arrayContaining(['openid', 'mail.read']));
    expect(comesAlong(plan).has('mail.full')).toBe(false);
  });
});

test.each([
  ['admin:org', 'administers the account'],
  ['https://mail.google.com/', 'reads, sends and deletes all mail for good'],
  ['https://www.googleapis.com/auth/gmail.send', 'sends or publishes in your name'],
  ['files.delete', 'deletes'],
  ['https://www.googleapis.com/auth/drive.readonly', undefined],
  ['https://www.googleapis.com/auth/calendar.events', undefined],
  ['read:user', undefined],
  ['postal_address', undefined],
  ['constructor', undefined],
  ['https://api.fullcontact.example/auth/contacts', undefined],
])('the risk of %s is %s', (scope, risk) => {
  expect(scopeRisk(scope)).toBe(risk);
});
