import { expect, test } from 'vitest';
import type { Connection } from '#shared/connections/connection.ts';
import { chooseConnections } from './choose-connections.ts';

function connection(id: string, label: string, accountId: string, integrationId = '@acme/mail'): Connection {
  return {
    id,
    integrationId,
    authKey: 'oauth',
    authType: 'oauth2',
    label,
    accountId,
    identity: {},
    scopes: [],
    lostScopes: [],
    state: 'connected',
    renewable: true,
    createdAt: 0,
    updatedAt: 0,
  };
}

const kept = [
  connection('c1', 'Work', 'ann@acme.example'),
  connection('c2', 'a=b', 'ann@home.example'),
  connection('c3', 'Second', 'ann@acme.example'),
  connection('c4', 'Work', 'ann', '@acme/drive'),
];

test('takes one or several, each once, by label, account or id', () => {
  expect(
    chooseConnections(
      [
        '@acme/mail=Work',
        '@acme/mail=a=b',
        '@acme/mail=c1',
        '@acme/mail=ann@home.example',
        '@acme/drive=Work',
      ],
      kept,
    ),
  ).toEqual({ '@acme/mail': ['c1', 'c2'], '@acme/drive': ['c4'] });
});

test.each([
  ['Work', 'connection_option_invalid'],
  ['@acme/mail', 'connection_option_invalid'],
  ['@acme/mail=', 'connection_option_invalid'],
  ['@acme/mail=Home', 'connection_unknown'],
  ['@acme/drive=c1', 'connection_unknown'],
  ['@other/x=Work', 'connection_unknown'],
  ['@acme/mail=ann@acme.example', 'connection_ambiguous'],
])('refuses %s', (option, code) => {
  expect(() => chooseConnections([option], kept)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code }) }),
  );
});
