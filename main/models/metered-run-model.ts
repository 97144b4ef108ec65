import type { ModelDescription, Usage } from '#shared/models/model.ts';
import type { PriceList } from './catalogue.ts';
import type { HttpResponse } from './http-client.ts';
import { isKeyRefusal } from './key-refusal.ts';
import type { RelayedRequest, RelayedResponse, RunModel } from './model-gateway.ts';
import { redactKey, StreamRedactor } from './redaction.ts';
import { checkRequest, type CheckedRequest } from './request-policy.ts';
import { errorText, ResponseMeter, type MeterReading } from './response-meter.ts';
import { UsageLedger } from './usage-ledger.ts';

/** Takes a checked request to where it is answered: a provider, or the walkthrough in this process. */
export interface ModelTransport {
  /** @throws ProblemError `model_unreachable`, `model_tls`, `model_timeout`, `model_answered_nonsense`. */
  send(
    request: CheckedRequest & { readonly headers: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<HttpResponse>;
}

export interface MeteredRunModelOptions {
  readonly description: ModelDescription;
  readonly prices: PriceList | undefined;
  readonly transport: ModelTransport;
  /** The provider's key, which must not leave with an answer. */
  readonly key: string | undefined;
}

/** Request headers of the sandbox that reach the provider. */
const REQUEST_HEADERS = ['accept', 'content-type', 'anthropic-version'];
/** Beta features of Anthropic that change how an answer is written, and nothing else. */
const ALLOWED_BETAS =
  /^(fine-grained-tool-streaming|interleaved-thinking|token-efficient-tools|prompt-caching)-/;
/** Response headers that reach the sandbox: what the body is, and when to try again. */
const RESPONSE_HEADERS =
  /^(content-type|retry-after(-ms)?|x-should-retry|(x-|anthropic-)?ratelimit-[a-z0-9-]+)$/;

/** Bytes of an error's body that are passed on. */
const MAX_ERROR_BYTES = 256 * 1024;
/** Characters of a provider's error that are kept for the verdict. */
const MAX_DETAIL_CHARACTERS = 600;

/** One run's use of one model. */
export class MeteredRunModel implements RunModel {
  readonly description: ModelDescription;
  readonly #transport: ModelTransport;
  readonly #key: string | undefined;
  readonly #ledger: UsageLedger;
  readonly #listeners = new Set<(usage: Usage) => void>();
  #lastFailure: RunModel['lastFailure'];

  constructor({ description, prices, transport, key }: MeteredRunModelOptions) {
    this.description = description;
    this.#transport = transport;
    this.#key = key;
    this.#ledger = new UsageLedger(prices);
  }

  get usage(): Usage {
    return this.#ledger.usage;
  }

  /** Forgotten again as soon as a later answer came whole. */
  get lastFailure(): RunModel['lastFailure'] {
    return this.#lastFailure;
  }

  onUsage(listener: (usage: Usage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async send(request: RelayedRequest, signal: AbortSignal): Promise<RelayedResponse> {
    signal.throwIfAborted();
    const checked = checkRequest(request, this.description.api, this.description.modelId);
    const headers = requestHeaders(request.headers);
    const response = await this.#transport.send({ ...checked, headers }, signal);
    if (response.status >= 200 && response.status < 300) return this.#passAnswer(response, checked, signal);
    return this.#passError(response);
  }

  async #passAnswer(
    response: HttpResponse,
    { isStreaming }: CheckedRequest,
    signal: AbortSignal,
  ): Promise<RelayedResponse> {
    const body = response.body[Symbol.asyncIterator]();
    const type = mediaType(response);
    // A server that names no type, or a wrong one, is known by its first bytes.
    const first = isKnownType(type) ? undefined : await body.next();
    const start = first && !first.done ? Buffer.from(first.value).toString('latin1').trimStart() : '';
    if (isHtml(type, start)) {
      const page = await readLimited(restOf(first, body));
      return this.#replace(response.status, describePage(page.toString('utf8')));
    }
    const isStream = type === 'text/event-stream' || (type !== 'application/json' && !/^[{[]/.test(start));
    const meter = new ResponseMeter(this.description.api, isStream);
    const finish = this.#ledger.beginAnswer();
    return {
      status: response.status,
      headers: this.#responseHeaders(response),
      body: this.#meter(restOf(first, body), {
        meter,
        finish,
        signal,
        isExpected: isStream === isStreaming,
        status: response.status,
      }),
    };
  }

  async *#meter(
    body: AsyncIterable<Uint8Array>,
    answer: {
      meter: ResponseMeter;
      finish: (reading: MeterReading) => void;
      signal: AbortSignal;
      isExpected: boolean;
      status: number;
    },
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const redactor = new StreamRedactor(this.#key);
    let outcome: 'ended' | 'left' | 'broken' = 'left';
    let reason = '';
    try {
      for await (const chunk of body) {
        answer.meter.push(chunk);
        const clean = redactor.push(chunk);
        if (clean.length > 0) yield clean;
      }
      const rest = redactor.end();
      if (rest.length > 0) yield rest;
      outcome = 'ended';
    } catch (error) {
      outcome = answer.signal.aborted ? 'left' : 'broken';
      reason = error instanceof Error ? error.message : '';
      throw error;
    } finally {
      const reading = answer.meter.end();
      answer.finish(reading);
      if (outcome === 'broken') this.#fail(answer.status, `The answer broke off. ${reason}`);
      if (outcome === 'ended') this.#judge(reading, answer.isExpected, answer.status);
      this.#announce();
    }
  }

  #judge(reading: MeterReading, isExpected: boolean, status: number): void {
    if (reading.error !== undefined) this.#fail(status, reading.error);
    else if (!reading.isComplete) this.#fail(status, 'The answer ended before it was whole.');
    else if (!isExpected) this.#fail(status, 'The answer came in another form than was asked for.');
    else this.#lastFailure = undefined;
  }

  async #passError(response: HttpResponse): Promise<RelayedResponse> {
    const bytes = await readLimited(response.body);
    const text = bytes.toString('utf8');
    if (isHtml(mediaType(response), text.trimStart()))
      return this.#replace(response.status, describePage(text));
    if (response.status < 400) {
      const target = URL.parse(response.headers['location'] ?? '')?.host;
      return this.#replace(
        response.status,
        `The address answers with a redirect${target ? ` to ${target}` : ''}, which is not followed with a key. Check the provider's address in Settings, Models.`,
      );
    }
    this.#ledger.addRefusal();
    this.#fail(response.status, describeError(text), isKeyRefusal(response.status, text));
    this.#announce();
    const clean = redactKey(text, this.#key);
    return {
      status: response.status,
      headers: this.#responseHeaders(response),
      // Bytes that are no text have no key to take out, and stay as they are.
      body: oneChunk(clean === text ? bytes : Buffer.from(clean)),
    };
  }

  /** An error in the form all clients read, for an answer that none of them would. */
  #replace(status: number, detail: string): RelayedResponse {
    this.#ledger.addRefusal();
    this.#fail(status, detail);
    this.#announce();
    const message = this.#lastFailure?.detail ?? detail;
    const error = { type: 'api_error', code: 502, status: 'UNAVAILABLE', message };
    return {
      status: status >= 400 ? status : 502,
      headers: { 'content-type': 'application/json', 'x-should-retry': 'false' },
      body: oneChunk(Buffer.from(JSON.stringify({ type: 'error', error }))),
    };
  }

  #fail(status: number, detail: string, isKeyRefused = false): void {
    const clean = redactKey(detail, this.#key).replaceAll(/\s+/g, ' ').trim();
    this.#lastFailure = {
      status,
      detail: clean.length > MAX_DETAIL_CHARACTERS ? `${clean.slice(0, MAX_DETAIL_CHARACTERS)}…` : clean,
      ...(isKeyRefused && { isKeyRefused }),
    };
  }

  #responseHeaders(response: HttpResponse): Record<string, string> {
    return Object.fromEntries(
      Object.entries(response.headers)
        .filter(([name]) => RESPONSE_HEADERS.test(name))
        .map(([name, value]) => [name, redactKey(value, this.#key)]),
    );
  }

  #announce(): void {
    const { usage } = this;
    for (const listener of this.#listeners) listener(usage);
  }
}

function requestHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const result: Record<string, string> = { 'content-type': 'application/json' };
  for (const name of REQUEST_HEADERS) {
    const value = given.get(name);
    if (value !== undefined && /^[\x20-\x7e]*$/.test(value)) result[name] = value;
  }
  const betas = (given.get('anthropic-beta') ?? '')
    .split(',')
    .map((beta) => beta.trim())
    .filter((beta) => ALLOWED_BETAS.test(beta) && /^[a-z0-9-]+$/.test(beta));
  if (betas.length > 0) result['anthropic-beta'] = betas.join(',');
  return result;
}

function mediaType(response: HttpResponse): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isKnownType(type: string): boolean {
  return type === 'text/event-stream' || type === 'application/json' || type === 'text/html';
}

function isHtml(type: string, start: string): boolean {
  return type === 'text/html' || /^<(!doctype html|html|head|body)\b/i.test(start);
}

function describePage(html: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(html)?.[1]?.trim();
  return `A web page answered${title ? ` ("${title}")` : ''} where the model was expected. Check the provider's address, and what stands between this computer and it.`;
}

function describeError(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === '' ? 'The answer was empty.' : text;
  }
  const error = Array.isArray(value) ? value[0] : value;
  const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : undefined;
  return errorText(inner) ?? errorText(error) ?? text;
}

async function* restOf(
  first: IteratorResult<Uint8Array> | undefined,
  body: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (first?.done) return;
    if (first) yield first.value;
    for (let next = await body.next(); !next.done; next = await body.next()) yield next.value;
  } finally {
    await body.return?.();
  }
}

/** The beginning of a body; the rest is not waited for. */
async function readLimited(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES);
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes;
}
