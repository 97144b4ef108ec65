import { z } from 'zod';
import { METHODS } from '#shared/tools/api-call-schema.ts';
import { CallFailure } from './call-failure.ts';

/** Names that only Slipway's own programs give a meaning to (reference: sidecar, section 1.3). */
const CONTROL_HEADERS: ReadonlySet<string> = new Set([
  'x-integration',
  'x-integration-id',
  'x-target',
  'x-substitute-body',
  'x-stream-response',
  'x-max-response-size',
  'x-truncated',
  'x-truncated-size',
  'x-auth-refreshed',
]);

/** Headers that belong to the connection or the framing of a body; they are written by who sends it. */
const FRAMING_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const MAX_PARTS = 256;

export type BodyPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly filename: string;
      readonly contentType: string;
      readonly bytes: Buffer;
    };

/** A body as it was asked for. */
export type BodyForm =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'multipart'; readonly parts: readonly BodyPart[] }
  | { readonly kind: 'json'; readonly value: unknown };

/** A call whose arguments are in order. */
export interface CallArguments {
  /** As the model wrote it, placeholders included. */
  readonly target: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: BodyForm;
  readonly substituteBody: boolean;
}

/**
 * Reads the arguments of an `api_call` in the order that decides which fault is told.
 * @param maxBodyBytes most bytes of a body that came as base64
 * @throws CallFailure
 */
export function readCallArguments(
  input: Readonly<Record<string, unknown>>,
  maxBodyBytes: number,
): CallArguments {
  const { target, method: wanted, headers, body, substituteBody } = input;
  if (typeof target !== 'string' || target.trim() === '') {
    throw new CallFailure("'target' is required and must be a non-empty text with an absolute URL");
  }
  const method = typeof wanted === 'string' ? wanted.trim().toUpperCase() : 'GET';
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new CallFailure(`'method' must be one of ${METHODS.join(', ')}`);
  }
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new CallFailure(`a ${method} request has no body: leave 'body' out, or use another method`);
  }
  const readHeaders = headersOf(headers);
  const form = bodyOf(body, maxBodyBytes);
  if (substituteBody !== undefined && typeof substituteBody !== 'boolean') {
    throw new CallFailure("'substituteBody' must be true or false");
  }
  if (substituteBody === true && form.kind === 'bytes') {
    throw new CallFailure(
      "'substituteBody' needs a text, JSON or multipart body: bytes are sent as they are",
    );
  }
  const known = new Set(['target', 'method', 'headers', 'body', 'substituteBody', 'responseMode']);
  const unknown = Object.keys(input).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new CallFailure(`there is no argument ${unknown.map(quoted).join(', ')}`);
  return { target, method, headers: readHeaders, body: form, substituteBody: substituteBody === true };
}

function headersOf(headers: unknown): [string, string][] {
  if (headers === undefined || headers === null) return [];
  const parsed = z.record(z.string(), z.string()).safeParse(headers);
  if (!parsed.success) throw new CallFailure("'headers' must be an object from a name to a text");
  const entries = Object.entries(parsed.data);
  const control = entries.filter(([name]) => CONTROL_HEADERS.has(name.toLowerCase())).map(([name]) => name);
  if (control.length > 0) {
    throw new CallFailure(`these headers are reserved, leave them out: ${control.join(', ')}`);
  }
  for (const [name, value] of entries) checkHeader(name, value);
  return entries.filter(([name]) => !FRAMING_HEADERS.has(name.toLowerCase()));
}

/** @throws CallFailure for what HTTP cannot carry. */
export function checkHeader(name: string, value: string): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new CallFailure(`${quoted(name)} is no name of a header`);
  }
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) {
    throw new CallFailure(`the header ${quoted(name)} has a line break or a character beyond Latin-1 in it`);
  }
}

function bodyOf(body: unknown, maxBytes: number): BodyForm {
  if (body === undefined || body === null) return { kind: 'none' };
  if (typeof body === 'string') return { kind: 'text', text: body };
  if (typeof body !== 'object') {
    throw new CallFailure("'body' must be a text, an object, an array or null; nothing was sent");
  }
  if (Array.isArray(body)) return { kind: 'json', value: body };
  if ('multipart' in body) {
    return { kind: 'multipart', parts: multipartOf(body, maxBytes) };
  }
  if ('fromBytes' in body) {
    const { fromBytes, encoding, ...rest } = body as Record<string, unknown>;
    if (encoding !== 'base64' || Object.keys(rest).length > 0) {
      throw new CallFailure(
        "bytes are given as { fromBytes: <base64>, encoding: 'base64' } and nothing else",
      );
    }
    const bytes = bytesOf(fromBytes, "'body.fromBytes'");
    if (bytes.length > maxBytes) throw payloadTooLarge(bytes.length, maxBytes);
    return { kind: 'bytes', bytes };
  }
  if ('fromFile' in body) {
    throw new CallFailure("'body.fromFile' is read in the sandbox and did not get here as bytes");
  }
  return { kind: 'json', value: body };
}

function multipartOf({ multipart, ...rest }: { multipart: unknown }, maxBytes: number): BodyPart[] {
  if (Object.keys(rest).length > 0) {
    throw new CallFailure(`a multipart body has nothing beside its parts: ${Object.keys(rest).join(', ')}`);
  }
  if (!Array.isArray(multipart) || multipart.length === 0 || multipart.length > MAX_PARTS) {
    throw new CallFailure(`'body.multipart' must be a list of 1 to ${MAX_PARTS} parts`);
  }
  let total = 0;
  return multipart.map((part: unknown, index) => {
    const read = partOf(part, `part ${index + 1}`);
    if ('bytes' in read) total += read.bytes.length;
    if (total > maxBytes) throw payloadTooLarge(total, maxBytes);
    return read;
  });
}

function partOf(part: unknown, where: string): BodyPart {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    throw new CallFailure(`${where} of the multipart body must be an object`);
  }
  const fields = part as Record<string, unknown>;
  const name = shortText(fields['name'], 1, 256, `the name of ${where}`);
  if ('value' in fields) {
    knownKeys(fields, ['name', 'value'], where);
    if (typeof fields['value'] !== 'string') throw new CallFailure(`the value of ${where} must be a text`);
    return { name, value: fields['value'] };
  }
  knownKeys(fields, ['name', 'filename', 'bytes', 'encoding', 'contentType'], where);
  if (fields['encoding'] !== 'base64') throw new CallFailure(`the encoding of ${where} must be 'base64'`);
  const filename = shortText(fields['filename'], 1, 1024, `the filename of ${where}`);
  const contentType =
    fields['contentType'] === undefined
      ? 'application/octet-stream'
      : shortText(fields['contentType'], 1, 256, `the contentType of ${where}`);
  return { name, filename, contentType, bytes: bytesOf(fields['bytes'], `the bytes of ${where}`) };
}

function knownKeys(fields: Record<string, unknown>, known: readonly string[], where: string): void {
  const unknown = Object.keys(fields).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new CallFailure(`${where} has an unknown ${unknown.map(quoted).join(', ')}`);
}

/** A text that ends up in a header line of its part. */
function shortText(value: unknown, least: number, most: number, what: string): string {
  if (typeof value !== 'string' || value.length < least || value.length > most) {
    throw new CallFailure(`${what} must be a text of ${least} to ${most} characters`);
  }
  // eslint-disable-next-line no-control-regex -- a line break would begin another header
  if (/[\r\n\u0000]/.test(value)) throw new CallFailure(`${what} has a line break in it`);
  return value;
}

/** Base64 of RFC 4648, section 4, in its one canonical form: what is decoded is what was meant. */
function bytesOf(value: unknown, what: string): Buffer {
  if (typeof value !== 'string') throw new CallFailure(`${what} must be base64`);
  const bytes = Buffer.from(value, 'base64');
  // Length and last characters tell almost every fault without encoding it all again.
  if (value.length !== Math.ceil(bytes.length / 3) * 4 || !hasOnlyBase64(value, bytes)) {
    throw new CallFailure(`${what} must be base64 with "+", "/" and padding, without spaces`);
  }
  return bytes;
}

function hasOnlyBase64(text: string, bytes: Buffer): boolean {
  const tail = bytes.length % 3 === 0 ? 0 : 4;
  const last = bytes.subarray(bytes.length - (bytes.length % 3)).toString('base64');
  return (
    /^[A-Za-z0-9+/]*$/.test(text.slice(0, text.length - tail)) && (tail === 0 || text.slice(-tail) === last)
  );
}

function payloadTooLarge(actual: number, limit: number): CallFailure {
  const envVar = 'SIDECAR_MAX_REQUEST_BODY_BYTES';
  return new CallFailure(
    `the body has ${actual} bytes, more than the ${limit} one request may send (${envVar}); for a large file use api_upload where the integration has it`,
    {
      structured: {
        error: { code: 'PAYLOAD_TOO_LARGE', scope: 'request_body', limit, actual, envVar },
      },
    },
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
