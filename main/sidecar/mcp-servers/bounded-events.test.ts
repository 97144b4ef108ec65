import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hideSecretsInLines } from '../calls/text-bytes.ts';
import { AnswerTooLarge, boundedBody, boundedEvents } from './bounded-events.ts';

/** A text in pieces of so many bytes, over and over. */
async function* pieces(text: string, sizes: readonly number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(source: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString();
}

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

describe('a stream of events', () => {
  it('goes on for ever while each event is small, however it comes in', async () => {
    const event = fc
      .array(fc.constantFrom('data: abc', 'id: 1', ': ping'), { minLength: 1, maxLength: 3 })
      .chain((lines) => fc.constantFrom('\n', '\r\n', '\r').map((end) => `${lines.join(end)}${end}${end}`));
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 20 }), sizes, async (events, cut) => {
        const text = events.join('');
        expect(await read(boundedEvents(pieces(text, cut), 60))).toBe(text);
      }),
    );
  });

  it('ends when one event is too large, also one of many lines', async () => {
    for (const large of [`data: ${'x'.repeat(100)}`, 'data: x\n'.repeat(20), 'data: x\r\n'.repeat(20)]) {
      const text = `data: ok\n\n${large}`;
      for (const cut of [[1], [7], [500]]) {
        await expect(read(boundedEvents(pieces(text, cut), 60))).rejects.toThrow(AnswerTooLarge);
      }
    }
  });
});

it('a body ends when it is too large', async () => {
  expect(await read(boundedBody(pieces('12345', [2]), 5))).toBe('12345');
  await expect(read(boundedBody(pieces('123456', [4]), 5))).rejects.toThrow(AnswerTooLarge);
});

describe('secrets in lines', () => {
  const secrets = new Map([['secret-token', 'access_token']]);

  it('are hidden wherever pieces end, and every line passes as soon as it is whole', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (cut) => {
        const text = 'data: a secret-token b\n\ndata: no\r\nsecret-token';
        expect(await read(hideSecretsInLines(pieces(text, cut), secrets))).toBe(
          'data: a {{access_token}} b\n\ndata: no\r\n{{access_token}}',
        );
      }),
    );
    const open = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('data: first\n\n');
      await new Promise(() => undefined);
    };
    const first = await hideSecretsInLines(open(), secrets).next();
    expect(String(first.value)).toBe('data: first\n\n');
  });
});
