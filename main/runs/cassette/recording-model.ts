import type { RelayedRequest, RelayedResponse, RunModel } from '#main/models/model-gateway.ts';
import { toProblem } from '#shared/problem.ts';
import { deltaOf } from './body-delta.ts';
import type { CassetteEntryOf } from './cassette-entry.ts';
import type { CassetteWriter } from './cassette-writer.ts';

type Sent = Pick<CassetteEntryOf<'model'>, 'kind' | 'index' | 'path' | 'request'>;

/** A run's model, everything it is asked and answers recorded. */
export class RecordingModel implements RunModel {
  readonly #model: RunModel;
  readonly #cassette: CassetteWriter;
  #count = 0;
  #lastBody: Buffer = Buffer.alloc(0);

  constructor(model: RunModel, cassette: CassetteWriter) {
    this.#model = model;
    this.#cassette = cassette;
  }

  get description(): RunModel['description'] {
    return this.#model.description;
  }

  get usage(): RunModel['usage'] {
    return this.#model.usage;
  }

  get lastFailure(): RunModel['lastFailure'] {
    return this.#model.lastFailure;
  }

  onUsage(listener: Parameters<RunModel['onUsage']>[0]): () => void {
    return this.#model.onUsage(listener);
  }

  async send(request: RelayedRequest, signal: AbortSignal): Promise<RelayedResponse> {
    const sent = this.#sent(request);
    let response: RelayedResponse;
    try {
      response = await this.#model.send(request, signal);
    } catch (error) {
      if (!signal.aborted) {
        this.#cassette.add({ ...sent, answer: { kind: 'failure', problem: toProblem(error) } });
      }
      throw error;
    }
    return { ...response, body: this.#recorded(sent, response) };
  }

  #sent({ path, body }: RelayedRequest): Sent {
    const bytes = Buffer.from(body);
    const { prefix, suffix, middle } = deltaOf(this.#lastBody, bytes);
    this.#lastBody = bytes;
    const index = this.#count;
    this.#count += 1;
    return { kind: 'model', index, path, request: { prefix, suffix, data: middle.toString('base64') } };
  }

  async *#recorded(
    sent: Sent,
    { status, headers, body }: RelayedResponse,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks: Uint8Array[] = [];
    let isCut = true;
    try {
      for await (const chunk of body) {
        chunks.push(chunk);
        yield chunk;
      }
      isCut = false;
    } finally {
      const data = Buffer.concat(chunks).toString('base64');
      this.#cassette.add({ ...sent, answer: { kind: 'response', status, headers, data, isCut } });
    }
  }
}
