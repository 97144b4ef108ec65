import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { MAX_LINE_BYTES, MessageLines, type ServerOutput } from './message-lines.ts';
import { TopLevelId } from './top-level-id.ts';

function outputsOf(chunks: readonly (string | Buffer)[], lines = new MessageLines()): ServerOutput[] {
  return chunks.flatMap((chunk) => [...lines.push(Buffer.from(chunk as string))]);
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    return error instanceof ProblemError ? error.problem.code : String(error);
  }
  return undefined;
}

describe('MessageLines', () => {
  it('gives the same lines however they are cut', () => {
    const text = '{"a":"é"}\r\n\n  {"b":2}\nStarting up …\n{"c":"𝄞"}\n';
    const whole = outputsOf([text]);
    expect(whole.map(({ kind }) => kind)).toEqual(['message', 'message', 'noise', 'message']);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (sizes) => {
        const bytes = Buffer.from(text);
        const chunks: Buffer[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(outputsOf(chunks)).toEqual(whole);
      }),
    );
  });

  it('names the request of a message that is too long, and goes on with the next', () => {
    const long = `{"result":{"id":1,"text":"${'x'.repeat(MAX_LINE_BYTES)}"},"jsonrpc":"2.0","id":"call-\\"7"}`;
    const outputs = outputsOf([...`${long}\n{"id":8}\n`.match(/.{1,65536}\n?/gs)!]);
    expect(outputs).toEqual([
      { kind: 'oversized', id: '"call-\\"7"', bytes: long.length },
      { kind: 'message', text: '{"id":8}' },
    ]);
  });

  it('ends a server that never ends a line', () => {
    const lines = new MessageLines();
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let taken = 0;
    const code = codeOf(() => {
      for (; taken < 200; taken += 1) outputsOf([chunk], lines);
    });
    expect(code).toBe('server_output_invalid');
    expect(taken).toBeLessThanOrEqual(128);
  });

  it('ends a server that writes no text', () => {
    expect(codeOf(() => outputsOf([Buffer.from([0x7b, 0xff, 0x0a])]))).toBe('server_output_invalid');
  });

  it('lets a server be quick for a moment, and no flood go on', () => {
    let now = 0;
    const lines = new MessageLines(() => now);
    expect(outputsOf(['{}\n'.repeat(2500)], lines)).toHaveLength(2500);
    now += 2000;
    expect(outputsOf(['{}\n'.repeat(2000)], lines)).toHaveLength(2000);
    now += 100;
    expect(codeOf(() => outputsOf(['{}\n'.repeat(2000)], lines))).toBe('server_floods');
  });
});

describe('TopLevelId', () => {
  it('finds the id that a parser would, among any other members', () => {
    const id = fc.oneof(fc.integer(), fc.string({ maxLength: 40 }));
    fc.assert(
      fc.property(id, fc.jsonValue(), fc.jsonValue(), fc.boolean(), (value, result, other, isLast) => {
        const message = isLast
          ? { result, other, id: value }
          : { other: [{ id: 0 }, other], id: value, result };
        const scanner = new TopLevelId();
        scanner.push(Buffer.from(JSON.stringify(message)));
        expect(JSON.parse(scanner.id ?? 'null')).toBe(Object.is(value, -0) ? 0 : value);
      }),
    );
  });

  it('takes no id from within', () => {
    const scanner = new TopLevelId();
    scanner.push(Buffer.from('{"result":{"id":5},"params":[{"id":6}]}'));
    expect(scanner.id).toBeUndefined();
  });
});
