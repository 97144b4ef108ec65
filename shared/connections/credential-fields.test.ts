import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { credentialFieldsOf, fingerprintOf, publicFieldsOf } from './credential-fields.ts';

const schemaOf = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

describe('fields of a credentials schema', () => {
  it('come in the schema’s order with its own words, and readable ones where it has none', () => {
    const fields = credentialFieldsOf(
      schemaOf(
        {
          shop_domain: { type: 'string', title: 'Shop', description: 'Your shop.', examples: ['a.example'] },
          access_token: { type: 'string' },
          region: { enum: ['eu', 'us'], default: 'eu' },
        },
        ['shop_domain', 'access_token'],
      ),
    );
    expect(fields).toMatchObject([
      { name: 'shop_domain', title: 'Shop', required: true, secret: false, example: 'a.example' },
      { name: 'access_token', title: 'Access token', required: true, secret: true },
      { name: 'region', required: false, choices: ['eu', 'us'], defaultValue: 'eu', secret: false },
    ]);
    expect(credentialFieldsOf(undefined)).toEqual([]);
  });

  it('are secret unless they are known to tell only where or who', () => {
    const names = [
      'username',
      'password',
      'api_key',
      'client_secret',
      'subdomain',
      'thing',
      'pin',
      'base_url',
    ];
    const schema = schemaOf(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));
    expect(publicFieldsOf(schema)).toEqual(['username', 'subdomain', 'base_url']);
    expect(publicFieldsOf(schemaOf({ username: { format: 'password' } }))).toEqual([]);
  });

  it('take a certificate or key over several lines', () => {
    const fields = credentialFieldsOf(schemaOf({ client_certificate: {}, private_key: {}, api_key: {} }));
    expect(fields.map(({ multiline }) => multiline)).toEqual([true, true, false]);
  });
});

it('a fingerprint gives six characters away, and nothing of a short secret', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (secret) => {
      const shown = secret.length < 12 ? undefined : `${secret.slice(0, 2)}****${secret.slice(-4)}`;
      expect(fingerprintOf(secret)).toBe(shown);
    }),
  );
});
