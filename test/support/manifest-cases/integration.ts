import { editJson } from '#shared/manifest/json-edit.ts';
import { drop, pretty, put, spoiling, type Case } from './case.ts';

/** One method of every kind; the second opens the API and a login, the others what is left. */
export const integration = pretty({
  name: '@you/mail',
  version: '1.0.0',
  type: 'integration',
  schema_version: '0.2',
  source: { kind: 'none' },
  auths: {
    oauth: {
      type: 'oauth2',
      authorization_endpoint: 'https://mail.example/authorize',
      token_endpoint: 'https://mail.example/token',
      token_endpoint_auth_method: 'client_secret_post',
      default_scopes: ['read'],
      scope_catalog: [
        { value: 'read', label: 'Read' },
        { value: 'send', label: 'Send', implies: ['read'] },
      ],
      identity_claims: { accountId: '$.data.0.email' },
      authorized_uris: ['https://api.mail.example/**'],
      delivery: {
        http: { in: 'header', name: 'Authorization', prefix: 'Bearer', value: '{$credential.access_token}' },
      },
      _meta: { 'dev.appstrate/oauth': { scope_separator: ',' }, 'dev.appstrate/auth': { required: true } },
    },
    login: {
      type: 'custom',
      credentials: { schema: { type: 'object', properties: { user: { type: 'string' }, password: {} } } },
      connect: {
        login: {
          request: {
            method: 'POST',
            url: 'https://mail.example/login',
            body: { user: '{{user}}', password: '{{ password }}' },
          },
          success_criteria: [{ condition: '$statusCode == 200' }],
          outputs: {
            session: '$response.body#/session',
            cookie: { from: 'cookie', name: 'sid' },
            expires: { context: '$response.body', selector: '$.expires', type: 'jsonpath' },
            part: { from: 'regex', source: '$response.body', pattern: 'id=(.*)', group: 1 },
            subject: { from: 'jwt', token: '$outputs.session', path: 'sub' },
          },
          expires_in_output: 'expires',
          identity_outputs: ['subject'],
        },
        limits: { request_timeout_ms: 1000, max_response_bytes: 1000 },
      },
      authorized_uris: ['https://*.mail.example/**'],
      delivery: { http: { in: 'header', name: 'X-Session', value: '{$credential.session}' } },
    },
    files: {
      type: 'mtls',
      credentials: { schema: { type: 'object', properties: { certificate: { type: 'string' } } } },
      authorized_uris: ['https://mail.example/**'],
      delivery: {
        env: { MAIL_MODE: { value: 'tls', sensitive: false } },
        files: { '/run/mail/cert.pem': { value: '{$credential.certificate}', mode: '0400' } },
      },
    },
  },
  tools_policy: {
    list: { required_scopes: { oauth: ['read'] } },
    send: { required_scopes: { oauth: ['send'] } },
  },
  hidden_tools: ['drafts'],
  allow_undeclared_tools: true,
  default_tools: ['api_call__oauth', 'list'],
  setup_guide: { steps: [{ label: 'Make an app', url: 'https://mail.example/apps' }] },
  _meta: { 'dev.appstrate/api': { auths: { oauth: { upload_protocols: ['tus'] }, login: {} } } },
});

export const remote = editJson(integration, [
  put('/source', { kind: 'remote', remote: { url: 'https://mcp.mail.example/mcp', transport: 'sse' } }),
]);

export const local = editJson(integration, [
  put('/source', { kind: 'local', server: { name: '@you/mail-server', version: '^1.0.0', vendored: true } }),
]);

export const olderIntegration = editJson(integration, [
  put('/schema_version', '2.0'),
  put('/source', { kind: 'api', api: { upload_protocols: ['tus', 'own-protocol'] } }),
  put('/tools_policy', {
    list: {
      required_scopes: ['read'],
      required_auth_key: 'oauth',
      url_patterns: [{ pattern: 'https://a/**' }],
    },
    send: { required_scopes: ['send'] },
  }),
  drop('/allow_undeclared_tools'),
  drop('/default_tools'),
]);

const { wrong, missing } = spoiling(integration);

const oauth = '/auths/oauth';
const login = '/auths/login/connect/login';
const api = '/_meta/dev.appstrate~1api';
const scopes = '/tools_policy/list/required_scopes';

export const integrationCases: readonly Case[] = [
  missing('I1', '/source'),
  wrong('I1', 'field_value', '/source/kind', 'magic', { says: /"local", "remote", "none"/ }),
  wrong('I1', 'field_value', '/source/kind', 'api'),
  wrong('I1', 'field_value', '/source/kind', 'none', { of: olderIntegration, says: /"api"/ }),
  missing('I1', '/source/remote', remote),
  missing('I1', '/source/server', local),
  missing('I1', '/source/api', olderIntegration),
  wrong('I2', 'field_value', '/source/server/name', 'mail-server', { of: local }),
  wrong('I2', 'field_value', '/source/server/version', 'newest', { of: local }),
  wrong('I3', 'field_value', '/source/remote/url', 'mcp.mail.example', { of: remote }),
  wrong('I3', 'field_value', '/source/remote/url', 'file:///etc/passwd', { of: remote }),
  wrong('I3', 'field_value', '/source/remote/transport', 'stdio', { of: remote }),
  wrong('I4', 'upload_protocol_repeated', '/source/api/upload_protocols/1', 'tus', { of: olderIntegration }),
  wrong('I4', 'field_value', '/source/api/upload_protocols/1', '', { of: olderIntegration }),
  missing('I5', '/auths'),
  wrong('I5', 'field_value', '/auths', {}),
  wrong('I6', 'key_invalid', '/auths/Main', {}),
  wrong('I7', 'field_value', `${oauth}/type`, 'oauth1'),
  missing('I7', `${oauth}/type`),
  wrong('I8', 'oauth2_endpoints_missing', oauth, [drop(`${oauth}/token_endpoint`)]),
  wrong(
    'I8',
    'oauth2_endpoints_missing',
    oauth,
    [put('/schema_version', '2.0'), drop(`${oauth}/token_endpoint`)],
    {
      of: remote,
    },
  ),
  wrong('I9', 'field_value', `${oauth}/token_endpoint`, '/token'),
  wrong('I9', 'field_value', `${oauth}/issuer`, 'mail'),
  wrong('I10', 'field_value', `${oauth}/token_endpoint_auth_method`, 'basic'),
  wrong('I11', 'credentials_missing', '/auths/files/credentials', [drop('/auths/files/credentials')]),
  missing('I11', '/auths/files/credentials/schema'),
  wrong('I11', 'field_value', '/auths/files/credentials/schema/type', 'string'),
  wrong(
    'I12',
    'reference_outside',
    '/auths/files/credentials/schema/properties/certificate/$ref',
    'http://169.254.169.254/',
  ),
  missing('I13', `${oauth}/delivery`),
  wrong('I13', 'delivery_empty', `${oauth}/delivery`, {}),
  wrong('I14', 'delivery_mixed', `${oauth}/delivery`, [put(`${oauth}/delivery/env`, { A: { value: 'b' } })]),
  wrong('I15', 'field_value', `${oauth}/delivery/http/in`, 'body'),
  wrong('I15', 'delivery_in_unsupported', `${oauth}/delivery/http/in`, 'query', { says: /Use a header/ }),
  missing('I15', `${oauth}/delivery/http/in`),
  wrong('I15', 'delivery_header_invalid', `${oauth}/delivery/http/name`, 'X-Key\r\nHost: evil'),
  wrong('I15', 'delivery_header_invalid', `${oauth}/delivery/http/prefix`, 'Bearer\n', {
    says: /one line/,
  }),
  wrong('I16', 'field_value', `${oauth}/delivery/http/encoding`, 'hex'),
  wrong('I17', 'field_value', '/auths/files/delivery/files/~1run~1mail~1cert.pem/mode', '400'),
  wrong('I17', 'delivery_path_unsafe', '/auths/files/delivery/files/~1run~1..~1etc~1passwd', { value: 'x' }),
  wrong('I17', 'delivery_path_unsafe', '/auths/files/delivery/files/cert.pem', { value: 'x' }),
  wrong('I18', 'connect_not_custom', `${oauth}/connect`, { tool: { name: 'sign_in' } }),
  wrong('I19', 'connect_ambiguous', '/auths/login/connect', [
    put('/auths/login/connect/tool', { name: 'a' }),
  ]),
  wrong('I19', 'connect_ambiguous', '/auths/login/connect', [put('/auths/login/connect', {})]),
  missing('I20', `${login}/request/method`),
  wrong('I20', 'field_value', `${login}/request/url`, ''),
  wrong('I21', 'field_value', `${login}/success_criteria/0/type`, 'xml'),
  wrong('I21', 'field_value', `${login}/success_criteria/0/condition`, ''),
  wrong('I22', 'field_value', `${login}/outputs/cookie/from`, 'header'),
  missing('I22', `${login}/outputs/cookie/name`),
  missing('I22', `${login}/outputs/subject/path`),
  wrong('I22', 'field_value', `${login}/outputs/part/group`, -1),
  missing('I22', `${login}/outputs/expires/selector`),
  wrong('I22', 'field_value', `${login}/outputs/expires/type`, 'css'),
  wrong('I22', 'field_value', `${login}/outputs/session`, 'body.session'),
  wrong('I23', 'field_value', '/auths/login/connect/limits/request_timeout_ms', 0),
  wrong('I23', 'field_value', '/auths/login/connect/limits/max_response_bytes', -1),
  wrong('I24', 'login_outputs_missing', `${login}/outputs`, {}),
  wrong('I24', 'login_output_unknown', `${login}/expires_in_output`, 'later'),
  wrong('I24', 'login_output_unknown', `${login}/identity_outputs/0`, 'email'),
  wrong('I24', 'login_output_unknown', '/auths/login/delivery/http/value', 'x {$credential.password}', {
    says: /never delivered/,
  }),
  wrong('--', 'login_placeholder_unknown', `${login}/request`, [
    put(`${login}/request/url`, 'https://a/{{tenant}}'),
  ]),
  wrong('--', 'login_criterion_unsupported', `${login}/success_criteria/0`, [
    put(`${login}/success_criteria/0/type`, 'xpath'),
  ]),
  wrong('--', 'login_criterion_unsupported', `${login}/success_criteria/0`, [
    put(`${login}/success_criteria/0/condition`, '$statusCode >= 200 && $statusCode < 300'),
  ]),
  wrong('I25', 'uris_missing', `${oauth}/authorized_uris`, []),
  wrong('I25', 'uris_missing', `${oauth}/authorized_uris`, [drop(`${oauth}/authorized_uris`)]),
  wrong('--', 'uris_unbounded', `${oauth}/allow_all_uris`, true),
  ...['https://**', 'https://*/x', '*', 'https://*.*/**'].map((uri) =>
    wrong('--', 'uris_unbounded', `${oauth}/authorized_uris/0`, uri),
  ),
  wrong('I26', 'mtls_over_http', `${oauth}/delivery/http`, [put(`${oauth}/type`, 'mtls')]),
  wrong('I27', 'scope_unknown', `${oauth}/default_scopes/1`, [put(`${oauth}/default_scopes/-`, 'admin')]),
  wrong('I28', 'scope_implies_unknown', `${oauth}/scope_catalog/1/implies/0`, 'admin'),
  wrong('I28', 'scope_implies_unknown', `${oauth}/scope_catalog/1/implies/0`, 'send', { says: /itself/ }),
  wrong('I29', 'auth_unknown', `${scopes}/main`, ['read']),
  wrong('I29', 'scope_unknown', `${scopes}/oauth/0`, 'admin'),
  wrong('I29', 'scope_unknown', '/tools_policy/list/required_scopes/0', 'admin', { of: olderIntegration }),
  wrong('I29', 'auth_unknown', '/tools_policy/list/required_auth_key', 'main', { of: olderIntegration }),
  wrong('I29', 'field_type', scopes, ['read']),
  wrong('I30', 'auth_unknown', `${api}/auths/main`, {}),
  wrong('I30', 'field_type', `${api}/auths/oauth/upload_protocols`, 'tus'),
  wrong('I30', 'field_value', `${api}/auths/oauth/upload_protocols/0`, ''),
  wrong('I30', 'upload_protocol_repeated', `${api}/auths/oauth/upload_protocols/1`, 'tus'),
  // Two keys with one FNV-1a hash, found by a search for it.
  wrong('I30', 'api_tool_repeated', `${api}/auths/k_e06127bac456cfa2`, [
    put(`${api}/auths/k_b48a51b9bb0e4c8d`, {}),
    put(`${api}/auths/k_e06127bac456cfa2`, {}),
  ]),
  missing('I30', `${api}/auths`),
  wrong('I30', 'field_type', `${oauth}/_meta/dev.appstrate~1oauth/scope_separator`, 1),
  wrong('I30', 'field_type', `${oauth}/_meta/dev.appstrate~1auth/required`, 'yes'),
  wrong('I31', 'default_tools_wildcard', '/default_tools', [
    put('/default_tools', '*'),
    drop('/allow_undeclared_tools'),
  ]),
  wrong('I31', 'field_type', '/default_tools/0', 1),
  wrong('I31', 'default_tool_unknown', '/default_tools/0', 'api_call'),
  wrong('I32', 'undeclared_tools_unusable', '/allow_undeclared_tools', [
    put(`${oauth}/default_scopes`, []),
    drop('/auths/login'),
    drop('/auths/files'),
  ]),
  missing('I33', '/setup_guide/steps/0/label'),
  missing('I34', `${oauth}/scope_catalog/0/value`),
  wrong('I34', 'field_value', `${oauth}/scope_catalog/0/label`, ''),
  wrong('I35', 'field_value', '/tools_policy/list/required_auth_key', 'Main', { of: olderIntegration }),
  wrong('--', 'template_unknown', `${oauth}/delivery/http/value`, 'Bearer {$outputs.token}'),
  wrong('--', 'template_unknown', `${oauth}/delivery/http/value`, '{$credential.access-token}'),
  wrong(
    '--',
    'credential_unknown',
    '/auths/files/delivery/files/~1run~1mail~1cert.pem/value',
    '{$credential.key}',
  ),
];
