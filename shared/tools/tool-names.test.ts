import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { apiToolAliases, apiToolName, apiToolToken } from '../manifest/api-tools.ts';
import {
  assignNamespaces,
  baseNamespaceOf,
  NAMESPACE_LENGTH,
  nameServerTools,
  NamingError,
  qualifiedToolName,
  TOOL_NAME_LENGTH,
  toolBodyOf,
} from './tool-names.ts';

describe('namespaces', () => {
  test.each([
    ['@appstrate/gmail', 'appstrate_gmail'],
    ['@appstrate/google-drive', 'appstrate_google_dri'],
    ['@1password/connect', '1password_connect'],
    ['@@acme/x', 'acme_x'],
    ['@Acme/CRM--v2', 'acme_crm_v2'],
    ['@acme/été', 'acme_t'],
    // The cut comes last, so that a `_` may end it.
    ['@abcdefghi/klmnopqrs-u', 'abcdefghi_klmnopqrs_'],
  ])('%s gives %s', (id, namespace) => {
    expect(baseNamespaceOf(id)).toBe(namespace);
  });

  test('an id without a letter or digit gives none', () => {
    expect(() => baseNamespaceOf('@/--')).toThrow(NamingError);
  });

  test('two that land on the same one are numbered in the order given', () => {
    const ids = ['@acme/google-drive-one', '@acme/google-drive-two', '@acme/google-drive-six', '@acme/x'];
    expect([...assignNamespaces(ids).values()]).toEqual([
      'acme_google_drive_on',
      'acme_google_drive_tw',
      'acme_google_drive_si',
      'acme_x',
    ]);
    const same = [
      '@acme/very-long-name-here-a',
      '@acme/very-long-name-here-b',
      '@acme/very-long-name-here-c',
    ];
    expect([...assignNamespaces(same).values()]).toEqual([
      'acme_very_long_name_',
      'acme_very_long_name__2',
      'acme_very_long_name__3',
    ]);
  });

  test('an id that is really called like a numbered one is told apart all the same', () => {
    const namespaces = assignNamespaces(['@a/b', '@a/b-2', '@a.b', '@a/b']);
    expect([...namespaces]).toEqual([
      ['@a/b', 'a_b'],
      ['@a/b-2', 'a_b_2'],
      ['@a.b', 'a_b_3'],
    ]);
  });

  test('are distinct, short and the same for the same order', () => {
    const id = fc.tuple(fc.constantFrom('acme', 'a-b', 'x'), fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/));
    fc.assert(
      fc.property(
        fc.array(
          id.map(([scope, name]) => `@${scope}/${name}`),
          { maxLength: 40 },
        ),
        (ids) => {
          const namespaces = assignNamespaces(ids);
          const values = [...namespaces.values()];
          expect(new Set(values).size).toBe(new Set(ids).size);
          expect(assignNamespaces(ids)).toEqual(namespaces);
          for (const value of values) {
            expect(value).toMatch(/^[a-z0-9][a-z0-9_]*$/);
            expect(value.length).toBeLessThanOrEqual(NAMESPACE_LENGTH + '_999'.length);
          }
        },
      ),
    );
  });
});

describe('api tools', () => {
  test('a key of 17 characters stands in the name as it is, one of 18 as a hash', () => {
    expect(apiToolToken('a'.repeat(17))).toBe('a'.repeat(17));
    expect(apiToolToken('a'.repeat(18))).toMatch(/^h0[0-9a-f]{16}$/);
    expect(apiToolToken('service_account_eu')).not.toBe(apiToolToken('service_account_us'));
  });

  test('the longest name is as long as may be', () => {
    const [namespace = ''] = [...assignNamespaces(['@acme/very-long-name-here-a']).values()];
    const keys = ['an_authentication_method', 'key'];
    const names = keys.map((key) => apiToolName('api_upload', key, keys));
    expect(qualifiedToolName(`${namespace}_999`, names[0] ?? '').length).toBe(TOOL_NAME_LENGTH);
  });

  test('one method needs no token, and either tool of the pair selects both', () => {
    expect(apiToolName('api_call', 'oauth', ['oauth'])).toBe('api_call');
    expect(apiToolName('api_call', 'oauth', ['oauth', 'key'])).toBe('api_call__oauth');
    expect(apiToolAliases('oauth', ['oauth', 'key'])).toEqual(
      expect.arrayContaining(['api_call__oauth', 'api_upload__oauth']),
    );
  });
});

describe('tools of a server', () => {
  test.each([
    ['list-issues', 'list_issues'],
    ['drive__api-call', 'api_call'],
    ['a__b__c', 'b__c'],
    ['Créer une page', 'cr_er_une_page'],
    ['trailing__', 'trailing'],
    ['__leading', 'leading'],
    ['2fa', undefined],
    ['日本', undefined],
  ])('%s becomes %s', (serverName, body) => {
    expect(toolBodyOf(serverName)).toBe(body);
  });

  test('names are made distinct, unusable ones are numbered, those of the platform win', () => {
    const named = nameServerTools('acme_x', ['get', 'Get', '日本', 'api_call', 'get'], ['api_call']);
    expect(named).toEqual([
      { serverName: 'get', name: 'acme_x__get' },
      { serverName: 'Get', name: 'acme_x__get_2' },
      { serverName: '日本', name: 'acme_x__tool_3' },
      { serverName: 'get', name: 'acme_x__get_3' },
    ]);
    expect(nameServerTools('acme_x', ['api_call'])).toHaveLength(1);
    expect(() => nameServerTools('a', [], ['api_call', 'api_call'])).toThrow(NamingError);
  });

  test('whatever a server says, names are distinct, valid and within the length', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.stringMatching(/^[a-c_-]{0,4}$/),
      fc.constant('a'.repeat(60)),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 30 }), (serverNames) => {
        const names = nameServerTools('acme_very_long_name__2', serverNames).map((tool) => tool.name);
        expect(new Set(names).size).toBe(serverNames.length);
        for (const name of names) {
          expect(name).toMatch(/^acme_very_long_name__2__[a-z][a-z0-9_]*$/);
          expect(name.length).toBeLessThanOrEqual(TOOL_NAME_LENGTH);
        }
      }),
    );
  });
});
