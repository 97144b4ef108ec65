import { setTimeout as delay } from 'node:timers/promises';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import type { Conversation } from './conversation.ts';
import type { Turn } from './turn.ts';

/** Characters of one piece of a call's arguments: large enough that a program does not take all day. */
const ARGUMENT_PIECE = 120;

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** A turn in the form of OpenAI's chat completions API. */
export class Completion {
  readonly #turn: Turn;
  readonly #number: number;
  readonly #usage: Usage;

  constructor(turn: Turn, conversation: Conversation) {
    this.#turn = turn;
    this.#number = conversation.exchanges.length + 1;
    const prompt = Math.ceil(conversation.length / (1000 / estimateTokens('x'.repeat(1000))));
    const completion = estimateTokens(turn.text + JSON.stringify(turn.calls));
    this.#usage = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    };
  }

  /** The whole answer at once. */
  document(): string {
    return JSON.stringify({
      ...this.#head('chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: this.#turn.text,
            ...(this.#turn.calls.length > 0 && {
              tool_calls: this.#turn.calls.map(({ tool, arguments: args }, index) => ({
                id: this.#callId(index),
                type: 'function',
                function: { name: tool, arguments: JSON.stringify(args) },
              })),
            }),
          },
          finish_reason: this.#finishReason(),
        },
      ],
      usage: this.#usage,
    });
  }

  /** The answer in server-sent events, `paceMs` milliseconds apart. */
  async *events(paceMs: number, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    let isFirst = true;
    for (const delta of this.#deltas()) {
      signal.throwIfAborted();
      if (paceMs > 0 && !isFirst) await delay(paceMs, undefined, { signal });
      isFirst = false;
      yield this.#event({ choices: [{ index: 0, delta, finish_reason: null }] });
    }
    yield this.#event({ choices: [{ index: 0, delta: {}, finish_reason: this.#finishReason() }] });
    yield this.#event({ choices: [], usage: this.#usage });
    yield Buffer.from('data: [DONE]\n\n');
  }

  *#deltas(): Generator<Record<string, unknown>> {
    yield { role: 'assistant', content: '' };
    for (const content of this.#turn.text.match(/\s*\S+\s*\S*/g) ?? []) yield { content };
    for (const [index, { tool, arguments: args }] of this.#turn.calls.entries()) {
      const piece = (fields: Record<string, unknown>) => ({ tool_calls: [{ index, ...fields }] });
      yield piece({ id: this.#callId(index), type: 'function', function: { name: tool, arguments: '' } });
      for (const text of pieces(JSON.stringify(args))) yield piece({ function: { arguments: text } });
    }
  }

  #event(fields: Record<string, unknown>): Uint8Array {
    return Buffer.from(`data: ${JSON.stringify({ ...this.#head('chat.completion.chunk'), ...fields })}\n\n`);
  }

  #head(object: string): Record<string, unknown> {
    // No clock and no chance: the same request has the same answer.
    return { id: `walkthrough-${this.#number}`, object, created: 0, model: 'walkthrough' };
  }

  #callId(index: number): string {
    return `call_${this.#number}_${index + 1}`;
  }

  #finishReason(): string {
    return this.#turn.calls.length > 0 ? 'tool_calls' : 'stop';
  }
}

/** Pieces of a text that never part the two halves of a character. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${ARGUMENT_PIECE}}`, 'gsu')) ?? [];
}
