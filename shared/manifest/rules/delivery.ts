import type { JsonPath } from '../json-pointer.ts';
import { isRecord, membersOf } from '../plain.ts';
import { shown } from '../structure.ts';
import type { RuleContext } from './common.ts';
import { credentialFieldsOf } from './credentials.ts';

/** Rules of how a credential reaches a request or a server: reference section 19, I13 to I15, I17, I24, I26. */
export function checkDelivery(
  context: RuleContext,
  path: JsonPath,
  auth: Readonly<Record<string, unknown>>,
): void {
  const { findings } = context;
  const { delivery } = auth;
  if (!isRecord(delivery)) return;
  const place = [...path, 'delivery'];
  const { http, env, files } = delivery;

  if (http === undefined && env === undefined && files === undefined) {
    const message =
      'Say how the credential is delivered: in "http", or in "env" and "files" of a local server.';
    findings.add('delivery_empty', place, message);
  }
  if (http !== undefined && (env !== undefined || files !== undefined)) {
    const message =
      'Either "http", where the server never sees the credential, or "env" and "files", where it does: not both.';
    findings.add('delivery_mixed', place, message, { at: 'key' });
  }
  if (isRecord(http)) {
    if (http['in'] === 'query' || http['in'] === 'cookie') {
      const message = `Credentials are put into headers only, not into a ${http['in']}. Use a header.`;
      findings.add('delivery_in_unsupported', [...place, 'http', 'in'], message);
    }
    checkHeader(context, [...place, 'http'], http);
    if (auth['type'] === 'mtls') {
      const message = 'A client certificate cannot travel in a header. Deliver it in "files".';
      findings.add('mtls_over_http', [...place, 'http'], message, { at: 'key' });
    }
    checkTemplate(context, [...place, 'http', 'value'], http['value'], auth);
  }
  for (const [name, entry] of membersOf(env)) {
    if (isRecord(entry)) checkTemplate(context, [...place, 'env', name, 'value'], entry['value'], auth);
  }
  for (const [name, entry] of membersOf(files)) {
    if (!name.startsWith('/') || name.split('/').includes('..')) {
      const message = `${shown(name)} must be an absolute path without "..".`;
      findings.add('delivery_path_unsafe', [...place, 'files', name], message, { at: 'key' });
    }
    if (isRecord(entry)) checkTemplate(context, [...place, 'files', name, 'value'], entry['value'], auth);
  }
}

/** The characters a header's name may have (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** No request can be made with another name, and a line break would begin a header that nobody agreed to. */
function checkHeader(
  { findings }: RuleContext,
  place: JsonPath,
  http: Readonly<Record<string, unknown>>,
): void {
  const { name } = http;
  if (typeof name === 'string' && name !== '' && http['in'] === 'header' && !HEADER_NAME.test(name)) {
    const message = `${shown(name)} is no name of a header: it has letters, digits and hyphens, and no spaces.`;
    findings.add('delivery_header_invalid', [...place, 'name'], message);
  }
  for (const field of ['prefix', 'value'] as const) {
    const text = http[field];
    if (typeof text !== 'string' || !/\p{Cc}/u.test(text)) continue;
    const message = `"${field}" may hold no line break and no other control character: a header is one line.`;
    findings.add('delivery_header_invalid', [...place, field], message);
  }
}

function checkTemplate(
  { findings }: RuleContext,
  path: JsonPath,
  template: unknown,
  auth: Readonly<Record<string, unknown>>,
): void {
  if (typeof template !== 'string') return;
  const connect = isRecord(auth['connect']) ? auth['connect'] : {};
  const login = isRecord(connect['login']) ? connect['login'] : undefined;
  const outputs = isRecord(login?.['outputs']) ? login['outputs'] : {};
  const fields = auth['type'] === 'oauth2' || 'tool' in connect ? undefined : credentialFieldsOf(auth);

  for (const [reference] of template.matchAll(/\{\$[^}]*\}?/g)) {
    const field = /^\{\$credential\.([A-Za-z0-9_]+)\}$/.exec(reference)?.[1];
    if (field === undefined) {
      const message = `${shown(reference)} is not replaced by anything: only {$credential.<field>} is.`;
      findings.add('template_unknown', path, message);
    } else if (login !== undefined) {
      if (Object.hasOwn(outputs, field)) continue;
      const message = `"${field}" is no output of the login. What a person typed to log in is never delivered.`;
      findings.add('login_output_unknown', path, message);
    } else if (fields?.includes(field) === false) {
      const message = `Nobody is asked for "${field}" in "credentials.schema", so nothing is put here.`;
      findings.add('credential_unknown', path, message);
    }
  }
}
