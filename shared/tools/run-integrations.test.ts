import { describe, expect, test } from 'vitest';
import type { IntegrationManifest } from '../manifest/model/integration.ts';
import { readIntegration } from '../manifest/model/integration.ts';
import { runIntegrationSchema } from '../protocol/integrations.ts';
import { planRunIntegrations } from './run-integrations.ts';

function integration(more: Record<string, unknown> = {}, name = '@acme/drive'): IntegrationManifest {
  const method = {
    type: 'oauth2',
    delivery: {},
    issuer: 'https://accounts.example.com',
    authorized_uris: ['https://api.example.com/**'],
  };
  return readIntegration(
    {
      schema_version: '0.1',
      type: 'integration',
      name,
      version: '1.0.0',
      display_name: 'Drive',
      source: { kind: 'none' },
      auths: { oauth: method },
      default_tools: ['api_call'],
      _meta: {
        'dev.appstrate/api': { auths: { oauth: { upload_protocols: ['google-resumable', 'gopher'] } } },
      },
      ...more,
    },
    '0.x',
  );
}

const connection = (label: string) => ({ id: label, authKey: 'oauth', label });
const plan = (manifest: IntegrationManifest, tools?: readonly string[] | '*') => {
  const choice = tools === undefined ? undefined : { tools };
  const [run] = planRunIntegrations([{ integration: manifest, choice, connections: [connection('Work')] }]);
  return runIntegrationSchema.parse(run);
};

describe('what the sidecar is told', () => {
  test('names, addresses, delivery and the protocols that can be driven', () => {
    expect(plan(integration())).toMatchObject({
      id: '@acme/drive',
      displayName: 'Drive',
      namespace: 'acme_drive',
      apis: [
        {
          authKey: 'oauth',
          callTool: 'api_call',
          uploadTool: 'api_upload',
          uploadProtocols: ['google-resumable'],
          authorizedUris: ['https://api.example.com/**'],
          allowsAllUris: false,
          delivery: { header: 'Authorization', prefix: 'Bearer ' },
          canRefresh: true,
        },
      ],
      connections: [{ label: 'Work' }],
    });
  });

  test('either tool of the pair grants both; nothing chosen is nothing; absent is the default', () => {
    expect(plan(integration(), ['api_upload']).apis).toHaveLength(1);
    expect(plan(integration(), []).apis).toEqual([]);
    expect(plan(integration(), ['list_files']).apis).toEqual([]);
    expect(plan(integration({ default_tools: undefined })).apis).toEqual([]);
    expect(plan(integration(), '*').apis).toHaveLength(1);
  });

  test('what is hidden is not granted: the call with its upload, the upload alone', () => {
    expect(plan(integration({ hidden_tools: ['api_call'] })).apis).toEqual([]);
    const [api] = plan(integration({ hidden_tools: ['api_upload'] })).apis;
    expect(api).toMatchObject({ callTool: 'api_call' });
    expect(api).not.toHaveProperty('uploadTool');
  });

  test('names follow the manifest’s order, and labels are told apart', () => {
    const planned = ['@acme/google-drive-long-a', '@acme/google-drive-long-b'].map((name) => ({
      integration: integration({}, name),
      choice: undefined,
      connections: [connection('Work'), connection('Work')],
    }));
    const runs = planRunIntegrations(planned);
    expect(runs.map(({ namespace }) => namespace)).toEqual([
      'acme_google_drive_lo',
      'acme_google_drive_lo_2',
    ]);
    expect(runs[0]?.connections.map(({ label }) => label)).toEqual(['Work', 'Work (2)']);
  });

  test('a server on the internet comes with the tools that are chosen of it, and no others', () => {
    const remote = (more: Record<string, unknown> = {}) =>
      integration({
        source: { kind: 'remote', remote: { url: 'https://mcp.example.com/mcp', transport: 'sse' } },
        hidden_tools: ['secret'],
        ...more,
      });
    expect(plan(remote(), ['list', 'secret', 'api_call']).server).toMatchObject({
      source: { kind: 'remote', url: 'https://mcp.example.com/mcp', transport: 'sse' },
      tools: ['list'],
      hidden: ['secret'],
    });
    expect(plan(remote(), '*').server).toMatchObject({ tools: '*', hidden: ['secret'] });
    expect(plan(remote()).server).toBeUndefined();
    expect(plan(integration(), '*').server).toBeUndefined();
    const { source } = plan(remote(), '*').server ?? {};
    const [auth] = Object.values(source?.kind === 'remote' ? source.auths : {});
    expect(auth).toMatchObject({ delivery: { header: 'Authorization' }, canRefresh: true });
  });
});
