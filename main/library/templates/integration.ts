import { heading, manifestFile, type NewPackage, type PackageText } from './new-package.ts';

/** An integration of an HTTP API with a key, which is the least one needs. */
export function integrationFiles(identity: NewPackage): PackageText {
  const manifest = manifestFile('integration', identity, {
    description: 'Calls an HTTP API with a key.',
    members: {
      source: { kind: 'none' },
      default_tools: ['api_call'],
      setup_guide: {
        steps: [
          { label: 'In the service, create an API key.', url: 'https://example.com/settings/keys' },
          { label: 'Copy the key into Slipway.' },
        ],
      },
      auths: {
        key: {
          type: 'api_key',
          credentials: {
            schema: {
              type: 'object',
              properties: {
                api_key: {
                  type: 'string',
                  title: 'API key',
                  description: 'Where to find it, in a few words.',
                  format: 'password',
                },
              },
              required: ['api_key'],
            },
          },
          authorized_uris: ['https://api.example.com/v1/**'],
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer ',
              value: '{$credential.api_key}',
            },
          },
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
    },
  });
  const notes = `${heading(identity)}

What an agent should know to call this API. It is shown to the model, so keep it short.

- Base address: \`https://api.example.com/v1\`
- List: \`GET …/items?limit=100\`; more pages: \`next\` as \`cursor\`.
- Faults come as \`{"error": {"message": "…"}}\`.
`;
  return new Map([manifest, ['INTEGRATION.md', notes]]);
}
