import { randomBytes } from 'node:crypto';
import { fillJson, fillPlaceholders } from '#shared/tools/placeholders.ts';
import type { BodyForm, BodyPart } from './call-arguments.ts';
import { CallFailure } from './call-failure.ts';

/** A body ready to be sent. */
export interface RequestBody {
  /** Undefined when there is none. */
  readonly bytes: Buffer | undefined;
  /** For the header, unless `isTypeFixed` is false and the caller gave one. */
  readonly contentType: string | undefined;
  /** A multipart body has a boundary that only its writer knows. */
  readonly isTypeFixed: boolean;
}

/**
 * Writes a body out. It may be written again with other fields, so nothing of it is used up.
 * @param fields what its placeholders are filled from; undefined leaves them as they are
 * @throws CallFailure for a placeholder that nothing fills
 */
export function writeBody(form: BodyForm, fields: Readonly<Record<string, string>> | undefined): RequestBody {
  switch (form.kind) {
    case 'none':
      return { bytes: undefined, contentType: undefined, isTypeFixed: false };
    case 'bytes':
      return { bytes: form.bytes, contentType: undefined, isTypeFixed: false };
    case 'text':
      return {
        bytes: Buffer.from(fields === undefined ? form.text : filled(form.text, fields), 'utf8'),
        contentType: undefined,
        isTypeFixed: false,
      };
    case 'json': {
      let { value } = form;
      if (fields !== undefined) {
        const result = fillJson(value, fields);
        refuseUnresolved(result.unresolved, 'body');
        ({ value } = result);
      }
      return {
        bytes: Buffer.from(JSON.stringify(value), 'utf8'),
        contentType: 'application/json',
        isTypeFixed: false,
      };
    }
    case 'multipart': {
      const boundary = `slipway-${randomBytes(18).toString('hex')}`;
      return {
        bytes: writeParts(form.parts, boundary, fields),
        contentType: `multipart/form-data; boundary=${boundary}`,
        isTypeFixed: true,
      };
    }
  }
}

/** Texts of a body in which a placeholder may stand. */
export function textsOf(form: BodyForm): string[] {
  switch (form.kind) {
    case 'text':
      return [form.text];
    case 'json':
      return leavesOf(form.value);
    case 'multipart':
      return form.parts.flatMap((part) => ('value' in part ? [part.value] : []));
    case 'none':
    case 'bytes':
      return [];
  }
}

/** @throws CallFailure when there are any. */
export function refuseUnresolved(names: readonly string[], where: string): void {
  if (names.length === 0) return;
  const shown = [...new Set(names)].map((name) => `{{${name}}}`).join(', ');
  throw new CallFailure(`the ${where} has a placeholder that no credential field fills: ${shown}`);
}

function filled(text: string, fields: Readonly<Record<string, string>>): string {
  const result = fillPlaceholders(text, fields);
  refuseUnresolved(result.unresolved, 'body');
  return result.text;
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

function writeParts(
  parts: readonly BodyPart[],
  boundary: string,
  fields: Readonly<Record<string, string>> | undefined,
): Buffer {
  const pieces: Buffer[] = [];
  for (const part of parts) {
    const lines = [`--${boundary}`];
    if ('value' in part) {
      lines.push(`Content-Disposition: form-data; name="${escaped(part.name)}"`, '', '');
      const value = fields === undefined ? part.value : filled(part.value, fields);
      pieces.push(Buffer.from(lines.join('\r\n')), Buffer.from(value, 'utf8'), Buffer.from('\r\n'));
    } else {
      lines.push(
        `Content-Disposition: form-data; name="${escaped(part.name)}"; filename="${escaped(part.filename)}"`,
        `Content-Type: ${part.contentType}`,
        '',
        '',
      );
      pieces.push(Buffer.from(lines.join('\r\n')), part.bytes, Buffer.from('\r\n'));
    }
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return Buffer.concat(pieces);
}

/** As browsers write a name (HTML standard, multipart/form-data encoding). */
function escaped(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
