/**
 * Carries what the structured clone algorithm carries through a text, as far as the app's messages need
 * it: a value that is none of these is refused, as Electron refuses what it cannot clone.
 */
export function encode(value: unknown): string {
  return JSON.stringify(toWire(value));
}

export function decode(text: string): unknown {
  return fromWire(JSON.parse(text));
}

type Wire =
  | null
  | boolean
  | number
  | string
  | Wire[]
  | { readonly $: string; readonly v?: Wire }
  | { readonly [key: string]: Wire };

function toWire(value: unknown): Wire {
  switch (typeof value) {
    case 'undefined':
      return { $: 'undefined' };
    case 'bigint':
      return { $: 'bigint', v: String(value) };
    case 'boolean':
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : { $: 'number', v: String(value) };
    case 'function':
    case 'symbol':
      throw new DOMException(`A ${typeof value} could not be cloned.`, 'DataCloneError');
    case 'object':
      return value === null ? null : objectToWire(value);
  }
}

function objectToWire(value: object): Wire {
  if (Array.isArray(value)) return value.map(toWire);
  if (value instanceof Date) return { $: 'date', v: value.getTime() };
  if (value instanceof Uint8Array) return { $: 'bytes', v: [...value] };
  if (value instanceof Map) return { $: 'map', v: [...value].map(toWire) };
  if (value instanceof Set) return { $: 'set', v: [...value].map(toWire) };
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new DOMException(`${value.constructor.name} is not carried by the stand-in.`, 'DataCloneError');
  const fields = Object.entries(value).map(([key, part]): [string, Wire] => [key, toWire(part)]);
  const object = Object.fromEntries(fields);
  return '$' in object ? { $: 'object', v: fields } : object;
}

function fromWire(wire: Wire): unknown {
  if (wire === null || typeof wire !== 'object') return wire;
  if (Array.isArray(wire)) return wire.map(fromWire);
  if (typeof wire['$'] !== 'string')
    return Object.fromEntries(Object.entries(wire).map(([key, part]) => [key, fromWire(part)]));
  const content = wire['v'] === undefined ? undefined : fromWire(wire['v']);
  switch (wire['$']) {
    case 'undefined':
      return undefined;
    case 'bigint':
      return BigInt(content as string);
    case 'number':
      return Number(content);
    case 'date':
      return new Date(content as number);
    case 'bytes':
      return Uint8Array.from(content as number[]);
    case 'map':
      return new Map(content as [unknown, unknown][]);
    case 'set':
      return new Set(content as unknown[]);
    case 'object':
      return Object.fromEntries(content as [string, unknown][]);
    default:
      throw new TypeError(`Unknown mark "${wire['$']}"`);
  }
}
