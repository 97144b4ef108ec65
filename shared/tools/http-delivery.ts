import type { AuthMethod } from '../manifest/model/integration.ts';
import type { HttpDelivery } from '../protocol/integrations.ts';

/** What of an authentication method says how it gets into requests. */
export type DeliveredMethod = Pick<AuthMethod, 'type' | 'delivery'>;

const AUTHORIZATION = 'Authorization';

/** Where the manifest says nothing (reference: sidecar, section 1.5). */
const DEFAULTS: Readonly<Record<AuthMethod['type'], HttpDelivery | undefined>> = {
  oauth2: {
    header: AUTHORIZATION,
    prefix: 'Bearer ',
    value: '{$credential.access_token}',
    allowsOverride: false,
  },
  api_key: { header: 'X-Api-Key', prefix: '', value: '{$credential.api_key}', allowsOverride: false },
  basic: {
    header: AUTHORIZATION,
    prefix: 'Basic ',
    value: '{$credential.username}:{$credential.password}',
    encoding: 'base64',
    allowsOverride: false,
  },
  custom: undefined,
  mtls: undefined,
};

/** How a method's credential gets into requests; undefined when nothing is added to them. */
export function httpDeliveryOf({ type, delivery }: DeliveredMethod): HttpDelivery | undefined {
  const { http, env, files } = delivery;
  if (http === undefined) {
    return env === undefined && files === undefined ? DEFAULTS[type] : undefined;
  }
  if (http.in !== 'header') return undefined;
  return {
    header: http.name,
    prefix: spacedPrefix(http.name, http.prefix ?? ''),
    value: http.value,
    ...(http.encoding !== undefined && { encoding: http.encoding }),
    allowsOverride: http.allow_server_override ?? false,
  };
}

/** A scheme such as `Bearer` stands a space before what follows it. */
function spacedPrefix(header: string, prefix: string): string {
  const isAuthorization = /^(proxy-)?authorization$/i.test(header);
  return isAuthorization && /^[a-z0-9-]+$/i.test(prefix) ? `${prefix} ` : prefix;
}

/** The value of the header, or why there is none. */
export type RenderedDelivery =
  | { readonly kind: 'value'; readonly value: string; readonly secret: string }
  /** Everything that the template names is empty: the call goes out without it. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'unusable'; readonly reason: string };

/**
 * Fills a delivery's template. Not a byte of a field is changed.
 * @param base64 encodes UTF-8 text
 */
export function renderDelivery(
  delivery: HttpDelivery,
  fields: Readonly<Record<string, string>>,
  base64: (text: string) => string,
): RenderedDelivery {
  let isAnyFilled = false;
  let references = 0;
  const filled = delivery.value.replaceAll(/\{\$(?:credential|outputs)\.(\w+)\}/g, (_whole, name: string) => {
    references += 1;
    const value = Object.hasOwn(fields, name) ? (fields[name] ?? '') : '';
    if (value !== '') isAnyFilled = true;
    return value;
  });
  if (filled === '' || (references > 0 && !isAnyFilled)) return { kind: 'empty' };
  const secret = delivery.encoding === 'base64' ? base64(filled) : filled;
  const value = `${delivery.prefix}${secret}`;
  // What HTTP can carry in a header's value: no control characters, nothing beyond a byte.
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) {
    return {
      kind: 'unusable',
      reason: `The credential has characters that cannot stand in the header ${delivery.header}.`,
    };
  }
  return { kind: 'value', value, secret };
}
