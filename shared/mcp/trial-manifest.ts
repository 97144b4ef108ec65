import { CURRENT_SCHEMA_VERSION } from '../manifest/dialect.ts';
import { parseTarget } from '../tools/target-url.ts';

/** What is known of a server that is tried before it is in the library. */
export interface TriedServer {
  /** Name of the integration, `@scope/name`. */
  readonly name: string;
  readonly displayName: string;
  readonly description?: string | undefined;
  readonly source:
    | {
        readonly kind: 'remote';
        readonly url: string;
        readonly transport: 'streamable-http' | 'sse';
        /** How a key is sent, where one is. */
        readonly header: string;
        readonly prefix: string;
      }
    | {
        readonly kind: 'local';
        readonly server: { readonly name: string; readonly version: string };
        /** Where the server may go. */
        readonly authorizedUris: readonly string[];
      };
}

/**
 * Stands where a package must name an address and means none: no name under `.invalid` ever leads anywhere
 * (RFC 2606).
 */
export const NOWHERE = 'https://nowhere.invalid/**';

/** Ways to be let in at a server on the internet, by the keys of the methods. */
export type TrialAuthKey = 'oauth' | 'key' | 'open';

/**
 * The manifest of an integration for a server.
 * @param methods the ways that are kept; all that make sense while it is tried
 * @param tools names that the server lists: the catalogue that agents choose from
 */
export function trialManifest(
  { name, displayName, description, source }: TriedServer,
  methods: readonly TrialAuthKey[],
  tools: readonly string[] = [],
): Record<string, unknown> {
  return {
    $schema: 'https://schemas.afps.dev/v0/integration.schema.json',
    schema_version: CURRENT_SCHEMA_VERSION,
    type: 'integration',
    name,
    version: '0.1.0',
    display_name: displayName,
    description: description?.trim() || `Tools of the MCP server ${displayName}.`,
    keywords: ['mcp'],
    source:
      source.kind === 'remote'
        ? { kind: 'remote', remote: { url: source.url, transport: source.transport } }
        : {
            kind: 'local',
            server: { name: source.server.name, version: `^${source.server.version}` },
          },
    ...(tools.length > 0 && { tools_policy: Object.fromEntries(tools.map((tool) => [tool, {}])) }),
    auths: Object.fromEntries(methods.map((key) => [key, methodOf(key, source)])),
  };
}

function methodOf(key: TrialAuthKey, source: TriedServer['source']): Record<string, unknown> {
  const addresses = { authorized_uris: addressesOf(source) };
  if (key === 'open' || source.kind === 'local') {
    return {
      type: 'custom',
      credentials: { schema: { type: 'object', properties: {} } },
      ...addresses,
      // Nothing is delivered: whoever asks is let in.
      delivery: { env: {} },
    };
  }
  if (key === 'oauth') {
    return {
      type: 'oauth2',
      token_endpoint_auth_method: 'none',
      ...addresses,
      delivery: {
        http: {
          in: 'header',
          name: 'Authorization',
          prefix: 'Bearer ',
          value: '{$credential.access_token}',
        },
      },
    };
  }
  return {
    type: 'api_key',
    credentials: {
      schema: {
        type: 'object',
        properties: { api_key: { type: 'string', title: 'Key', format: 'password' } },
        required: ['api_key'],
      },
    },
    ...addresses,
    delivery: {
      http: {
        in: 'header',
        name: source.header,
        ...(source.prefix !== '' && { prefix: source.prefix }),
        value: '{$credential.api_key}',
      },
    },
  };
}

function addressesOf(source: TriedServer['source']): string[] {
  if (source.kind === 'remote') {
    const target = parseTarget(source.url);
    return ['fault' in target ? NOWHERE : `${target.origin}/**`];
  }
  return source.authorizedUris.length > 0 ? [...source.authorizedUris] : [NOWHERE];
}
