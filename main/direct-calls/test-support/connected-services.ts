import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connections } from '#main/connections/index.ts';
import { createFileLogger, Redactor, type Logger } from '#main/logging/index.ts';
import { HttpOutbound } from '#main/network/index.ts';
import { createSecretStore } from '#main/secrets/index.ts';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import { openDatabase } from '#main/store/index.ts';
import { readIntegration, type IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';

export const INTEGRATION = '@test/keys';

/** A real service on this computer, with an integration of it that is connected by keys. */
export interface ConnectedServices extends AsyncDisposable {
  readonly service: TestService;
  /** `http://127.0.0.1:<port>` */
  readonly api: string;
  readonly connections: Connections;
  readonly outbound: OutboundCall[];
  /** What the playground and the proxy are made with. */
  readonly options: {
    readonly connections: Connections;
    readonly integrations: { get(id: string): Promise<IntegrationManifest | undefined> };
    readonly onOutboundCall: (call: OutboundCall) => void;
    readonly logger: Logger;
  };
  readonly limits: typeof DEFAULT_SIDECAR_LIMITS;
  readonly network: { readonly noProxy: string[]; readonly certificateAuthorities: string[] };
  /** Changes the manifest as its author would. */
  edit(rest: Record<string, unknown>): void;
  /** Keeps a key and gives the id of its connection. */
  connect(key: string, label: string): Promise<string>;
  /** Everything that was written to disk. */
  written(): string;
}

export async function connectServices(
  answer: Parameters<typeof startService>[0],
): Promise<ConnectedServices> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startService(answer));
  const api = `http://127.0.0.1:${service.port}`;
  const directory = mkdtempSync(join(tmpdir(), 'slipway-direct-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  const database = stack.use(openDatabase(directory));
  const redactor = new Redactor();
  const logger = stack.use(createFileLogger(join(directory, 'logs'), redactor));
  const secrets = createSecretStore({ directory, scryptCost: { N: 2 ** 10, r: 8, p: 1 } });
  await secrets.unlock('passphrase');
  const outboundHttp = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  const read = (rest: Record<string, unknown>) =>
    readIntegration(
      {
        schema_version: '0.2',
        type: 'integration',
        name: INTEGRATION,
        version: '1.0.0',
        display_name: 'Keys',
        source: { kind: 'none' },
        auths: {
          key: {
            type: 'api_key',
            credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
            delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
            authorized_uris: [`${api}/open/**`],
          },
        },
        _meta: { 'dev.appstrate/api': { auths: { key: { upload_protocols: ['tus'] } } } },
        ...rest,
      },
      '0.x',
    );
  let manifest = read({});
  const integrations = { get: async (id: string) => (id === INTEGRATION ? manifest : undefined) };
  const connections = stack.use(
    new Connections({
      database,
      secrets,
      integrations,
      outbound: outboundHttp,
      logger,
      protect: (secret) => redactor.protect(secret),
      dataDirectory: directory,
    }),
  );
  const outbound: OutboundCall[] = [];
  const owned = stack.move();
  return {
    service,
    api,
    connections,
    outbound,
    options: { connections, integrations, onOutboundCall: (call) => void outbound.push(call), logger },
    limits: DEFAULT_SIDECAR_LIMITS,
    network: { noProxy: [], certificateAuthorities: [] },
    edit: (rest) => void (manifest = read(rest)),
    connect: async (key, label) => {
      const { id } = await connections.create({
        integrationId: INTEGRATION,
        authKey: 'key',
        fields: { api_key: key },
        label,
      });
      return id;
    },
    written: () =>
      readdirSync(directory, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
        .join('\n'),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
