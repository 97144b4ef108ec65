import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import {
  authKey,
  commonShape,
  flag,
  listOf,
  mapOf,
  meta,
  objectOf,
  oneOf,
  packageName,
  positiveNumber,
  someText,
  text,
  textMatching,
  versionRange,
} from './common.ts';

function address(expected: string): z.ZodURL {
  return z
    .url(expected)
    .regex(/^https?:/i, expected)
    .meta({ description: expected });
}

const localSource = objectOf(
  {
    kind: z.literal('local'),
    server: objectOf(
      { name: packageName, version: versionRange, vendored: flag('true or false').optional() },
      'an object with the "name" and "version" of an MCP server package',
    ),
  },
  'an object',
);

const remoteSource = objectOf(
  {
    kind: z.literal('remote'),
    remote: objectOf(
      {
        url: address('an address such as "https://mcp.example.com/mcp"'),
        transport: oneOf(['streamable-http', 'sse'], 'a transport'),
      },
      'an object with the "url" and "transport" of an MCP server',
    ),
  },
  'an object',
);

const noSource = objectOf({ kind: z.literal('none') }, 'an object');

const uploadProtocols = listOf(someText('the name of an upload protocol'), 'a list of upload protocols');

const apiSource = objectOf(
  {
    kind: z.literal('api'),
    api: objectOf({ upload_protocols: uploadProtocols.optional() }, 'an object with "upload_protocols"'),
  },
  'an object',
);

function sourceSchema(dialect: Dialect) {
  const [third, kinds] =
    dialect === '2.x'
      ? [apiSource, 'one of "local", "remote", "api"']
      : [noSource, 'one of "local", "remote", "none"'];
  const whole = `an object whose "kind" is ${kinds}`;
  return z
    .discriminatedUnion('kind', [localSource, remoteSource, third], {
      error: (issue) => (issue.code === 'invalid_union' ? kinds : whole),
    })
    .meta({ description: whole });
}

const template = someText('text, with {$credential.<field>} where the credential goes');

const delivery = objectOf(
  {
    http: objectOf(
      {
        in: oneOf(['header', 'query', 'cookie'], 'a part of the request'),
        name: someText('the name of the header'),
        value: template,
        prefix: text('text before the value, such as "Bearer "').optional(),
        encoding: z.literal('base64', '"base64"').optional(),
        allow_server_override: flag('true or false').optional(),
      },
      'an object with "in", "name" and "value"',
    ).optional(),
    env: mapOf(
      objectOf(
        {
          value: template,
          sensitive: flag('true or false').optional(),
          user_config_key: someText('a key of the server\'s "user_config"').optional(),
        },
        'an object with a "value"',
      ),
      'an object from a variable to its value',
    ).optional(),
    files: mapOf(
      objectOf(
        {
          value: template,
          mode: textMatching(/^0[0-7]{3}$/, 'an octal mode such as "0400"').optional(),
        },
        'an object with a "value"',
      ),
      'an object from an absolute path to its content',
    ).optional(),
  },
  'an object with "http", or with "env" and "files"',
);

const scopes = listOf(someText('a scope'), 'a list of scopes');

const credentialsSchema = objectOf(
  {
    type: z.literal('object', '"object"'),
    properties: mapOf(z.unknown(), 'an object from a field to its JSON Schema').optional(),
  },
  'a JSON Schema of type "object"',
);

const connect = objectOf(
  {
    login: objectOf(
      {
        request: objectOf(
          {
            method: someText('an HTTP method'),
            url: someText('the address to log in at'),
            headers: mapOf(text('text'), 'an object from a header to its value').optional(),
            body: z.unknown().optional(),
            content_type: text('a media type').optional(),
          },
          'an object with "method" and "url"',
        ),
        success_criteria: listOf(
          objectOf(
            {
              condition: someText('a condition'),
              context: text('a runtime expression such as "$response.body"').optional(),
              type: oneOf(['simple', 'regex', 'jsonpath', 'xpath'], 'a kind of condition').optional(),
            },
            'an object with a "condition"',
          ),
          'a list of conditions',
        ).optional(),
        outputs: mapOf(z.unknown(), 'an object from a name to where its value is found').optional(),
        expires_in_output: text('the name of an output').optional(),
        identity_outputs: listOf(text('the name of an output'), 'a list of outputs').optional(),
      },
      'an object with a "request" and "outputs"',
    ).optional(),
    tool: objectOf(
      { name: someText('the name of a tool of the server').optional() },
      'an object with the "name" of a tool',
    ).optional(),
    limits: objectOf(
      {
        request_timeout_ms: positiveNumber('a number of milliseconds above 0').optional(),
        max_response_bytes: positiveNumber('a number of bytes above 0').optional(),
      },
      'an object with "request_timeout_ms" and "max_response_bytes"',
    ).optional(),
    _meta: meta.optional(),
  },
  'an object with either "login" or "tool"',
);

const authMethod = objectOf(
  {
    type: oneOf(['oauth2', 'api_key', 'basic', 'mtls', 'custom'], 'a kind of authentication'),
    delivery,
    issuer: address('the address of an authorization server').optional(),
    authorization_endpoint: address('the address people are sent to').optional(),
    token_endpoint: address('the address tokens are fetched from').optional(),
    device_authorization_endpoint: address('the address that starts a sign-in on another device').optional(),
    userinfo_endpoint: address('the address that tells whose account it is').optional(),
    token_endpoint_auth_method: oneOf(
      [
        'client_secret_basic',
        'client_secret_post',
        'client_secret_jwt',
        'private_key_jwt',
        'tls_client_auth',
        'self_signed_tls_client_auth',
        'none',
      ],
      'a way to authenticate',
    ).optional(),
    code_challenge_methods_supported: listOf(text('a method'), 'a list of methods').optional(),
    resource: text('the address of the resource').optional(),
    authorization_params: mapOf(z.unknown(), 'an object from a parameter to its value').optional(),
    default_scopes: scopes.optional(),
    scope_catalog: listOf(
      objectOf(
        {
          value: someText('the scope as it is asked for'),
          label: someText('the scope in words'),
          description: text('text').optional(),
          implies: listOf(text('a scope'), 'a list of scopes').optional(),
        },
        'an object with "value" and "label"',
      ),
      'a list of scopes with labels',
    ).optional(),
    identity_claims: mapOf(text('the place of a claim'), 'an object from a name to a claim').optional(),
    required_identity_claims: listOf(text('a claim'), 'a list of claims').optional(),
    credentials: objectOf({ schema: credentialsSchema }, 'an object with a "schema"').optional(),
    connect: connect.optional(),
    authorized_uris: listOf(
      someText('an address with wildcards, such as "https://api.example.com/**"'),
      'a list of addresses',
    ).optional(),
    allow_all_uris: flag('true or false').optional(),
    callback_url_hint: text('text').optional(),
    _meta: meta.optional(),
  },
  'an object with "type" and "delivery"',
);

const AUTHS = 'an object from the key of an authentication method to the method, with at least one';

const policies: Readonly<Record<Dialect, z.ZodType>> = {
  '0.x': objectOf(
    { required_scopes: mapOf(scopes, 'an object from an auth key to a list of scopes').optional() },
    'an object with "required_scopes"',
  ),
  '2.x': objectOf(
    {
      required_scopes: scopes.optional(),
      required_auth_key: authKey.optional(),
      url_patterns: listOf(
        objectOf(
          {
            pattern: someText('an address with wildcards'),
            methods: listOf(text('an HTTP method'), 'a list of methods').optional(),
          },
          'an object with a "pattern"',
        ),
        'a list of patterns',
      ).optional(),
    },
    'an object with "required_scopes"',
  ),
};

const DEFAULT_TOOLS = 'a list of tool names, or "*"';

/** Shape of an integration's manifest. */
export function integrationSchema(dialect: Dialect) {
  return objectOf(
    {
      ...commonShape(dialect),
      type: z.literal('integration', '"integration"'),
      source: sourceSchema(dialect),
      auths: z
        .record(authKey, authMethod, AUTHS)
        .refine((auths) => Object.keys(auths).length > 0, AUTHS)
        .meta({ description: AUTHS, minProperties: 1 }),
      tools_policy: mapOf(policies[dialect], 'an object from a tool to what it needs').optional(),
      hidden_tools: listOf(text('the name of a tool'), 'a list of tools').optional(),
      allow_undeclared_tools: flag('true or false').optional(),
      default_tools: z
        .union(
          [z.literal('*', DEFAULT_TOOLS), listOf(someText('the name of a tool'), DEFAULT_TOOLS)],
          DEFAULT_TOOLS,
        )
        .meta({ description: DEFAULT_TOOLS })
        .optional(),
      setup_guide: objectOf(
        {
          callback_url_hint: text('text').optional(),
          steps: listOf(
            objectOf(
              { label: someText('what to do'), url: text('an address').optional() },
              'an object with a "label"',
            ),
            'a list of steps',
          ).optional(),
        },
        'an object with "steps"',
      ).optional(),
    },
    'an object',
  );
}

const EXPRESSION =
  /^\$(statusCode|response\.body(#.*)?|response\.header\.[A-Za-z0-9-]+|outputs\.[A-Za-z0-9_]+)$/;
const EXPRESSION_WORDS =
  'a runtime expression such as "$response.body#/token", or an object that says where the value is found';

const extractors = {
  cookie: objectOf({ name: someText('the name of the cookie') }, 'an object'),
  jwt: objectOf(
    { token: someText('a runtime expression for the token'), path: someText('the place in the token') },
    'an object',
  ),
  regex: objectOf(
    {
      source: someText('a runtime expression for the text'),
      pattern: someText('a regular expression'),
      group: z.int('a whole number from 0').min(0, 'a whole number from 0').optional(),
    },
    'an object',
  ),
};

const selector = objectOf(
  {
    context: someText('a runtime expression for the document'),
    selector: someText('the place in the document'),
    type: oneOf(['jsonpath', 'xpath', 'jsonpointer'], 'a kind of selector'),
  },
  'an object with "context", "selector" and "type"',
);

/** Shape of one output of a login, which is told by its own form. */
export function loginOutputSchema(output: unknown): z.ZodType {
  if (typeof output !== 'object' || output === null) {
    return z.string(EXPRESSION_WORDS).regex(EXPRESSION, EXPRESSION_WORDS);
  }
  if (!('from' in output)) return selector;
  const { from } = output;
  const shape = Object.entries(extractors).find(([name]) => name === from)?.[1];
  const known = oneOf(['cookie', 'jwt', 'regex'], 'a kind of extractor');
  return shape ?? objectOf({ from: known }, 'an object');
}

export const API_KEY = 'dev.appstrate/api';

/** Shape of `_meta["dev.appstrate/api"]`: the authentication methods that `api_call` may use. */
export const apiMetaSchema = objectOf(
  {
    auths: mapOf(
      objectOf({ upload_protocols: uploadProtocols.optional() }, 'an object with "upload_protocols"'),
      'an object from an auth key to its options',
    ),
  },
  'an object with "auths"',
);

export const OAUTH_KEY = 'dev.appstrate/oauth';

/** Shape of an auth method's `_meta["dev.appstrate/oauth"]`. */
export const oauthMetaSchema = objectOf(
  {
    scope_separator: text('text between two scopes').optional(),
    refresh_token_issuance: oneOf(['default', 'not_supported'], 'a way').optional(),
  },
  'an object with "scope_separator"',
);

export const AUTH_META_KEY = 'dev.appstrate/auth';

/** Shape of an auth method's `_meta["dev.appstrate/auth"]`. */
export const authMetaSchema = objectOf(
  { required: flag('true or false').optional() },
  'an object with "required"',
);
