import type { ModelDescription } from '#shared/models/model.ts';
import type { HttpResponse } from '../http-client.ts';
import type { ModelTransport } from '../metered-run-model.ts';
import { Completion } from './completion.ts';
import { parseConversation } from './conversation.ts';
import { nextTurn } from './player.ts';
import { csvReport } from './scripts/csv-report.ts';
import { fixScript } from './scripts/fix-script.ts';
import { gather } from './scripts/gather.ts';
import { unknownAgent } from './scripts/unknown-agent.ts';
import type { Script } from './turn.ts';

/** The walkthrough, as the lists of models show it. It bills nothing. */
export const WALKTHROUGH_MODEL: ModelDescription = {
  providerId: 'walkthrough',
  modelId: 'walkthrough',
  displayName: 'Walkthrough (scripted)',
  api: 'openai-completions',
  contextWindow: 200_000,
  maxTokens: 32_000,
  reasoning: false,
  images: false,
  price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  scripted: true,
};

const scripts: Readonly<Record<string, Script>> = {
  '@slipway/csv-report': csvReport,
  '@slipway/gather': gather,
  '@slipway/fix-script': fixScript,
};

export interface WalkthroughOptions {
  /** The agent whose script is played; another one gets a single honest turn. */
  readonly agentId: string;
  /** Milliseconds between two pieces of an answer. */
  readonly paceMs: number;
}

/** Answers in place of a provider, from this process. */
export class WalkthroughTransport implements ModelTransport {
  readonly #script: Script;
  readonly #paceMs: number;

  constructor({ agentId, paceMs }: WalkthroughOptions) {
    this.#script = (Object.hasOwn(scripts, agentId) ? scripts[agentId] : undefined) ?? unknownAgent;
    this.#paceMs = paceMs;
  }

  async send(request: Parameters<ModelTransport['send']>[0], signal: AbortSignal): Promise<HttpResponse> {
    const conversation = parseConversation(JSON.parse(Buffer.from(request.body).toString('utf8')));
    if (!conversation) return badRequest();
    const completion = new Completion(nextTurn(this.#script, conversation), conversation);
    if (request.isStreaming) {
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: completion.events(this.#paceMs, signal),
      };
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: oneChunk(completion.document()),
    };
  }
}

function badRequest(): HttpResponse {
  const error = { type: 'invalid_request_error', message: 'This is no request of the chat completions API.' };
  return {
    status: 400,
    headers: { 'content-type': 'application/json' },
    body: oneChunk(JSON.stringify({ error })),
  };
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(text);
}
