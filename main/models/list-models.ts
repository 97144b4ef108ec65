import { ProblemError, type Problem } from '#shared/problem.ts';
import type { ProviderKind } from '#shared/models/model.ts';
import { authorizationHeaders } from './authorization.ts';
import type { HttpClient, HttpResponse } from './http-client.ts';
import { isKeyRefusal } from './key-refusal.ts';
import type { LiveModel } from './live-model.ts';
import { KEY_CHECK_PATH, LIST_REQUESTS, type ListRequest } from './model-lists.ts';
import { redactKey } from './redaction.ts';
import { errorText } from './response-meter.ts';

export interface ListTarget {
  readonly kind: Exclude<ProviderKind, 'walkthrough'>;
  readonly providerName: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
}

export interface ListLimits {
  /** Milliseconds a server has to answer each request. */
  readonly timeoutMs: number;
}

const MAX_LIST_BYTES = 32 * 1024 * 1024;
const MAX_PAGES = 10;

/**
 * Asks a provider for its models, with its key.
 * @throws ProblemError that tells apart: `model_unreachable`, `model_tls`, `model_timeout`,
 *   `model_key_refused`, `model_address_wrong`, `model_rate_limited`, `model_server_error`,
 *   `model_answered_nonsense`.
 */
export async function listModels(
  client: HttpClient,
  target: ListTarget,
  limits: ListLimits,
  signal: AbortSignal,
): Promise<LiveModel[]> {
  const lister = new Lister(client, target, limits, signal);
  const keyCheck = KEY_CHECK_PATH[target.kind];
  if (keyCheck !== undefined) await lister.get(keyCheck);
  const requests = LIST_REQUESTS[target.kind];
  for (const [index, request] of requests.entries()) {
    const isLast = index === requests.length - 1;
    try {
      return await lister.readPages(request);
    } catch (error) {
      if (isLast || !isUnknownThere(error)) throw await lister.withSuggestion(error);
    }
  }
  return [];
}

/** Whether the server answered, but knows no such list. */
function isUnknownThere(error: unknown): boolean {
  return (
    error instanceof ProblemError &&
    (error.problem.code === 'model_address_wrong' || error.problem.code === 'model_answered_nonsense')
  );
}

class Lister {
  readonly #client: HttpClient;
  readonly #target: ListTarget;
  readonly #limits: ListLimits;
  readonly #signal: AbortSignal;

  constructor(client: HttpClient, target: ListTarget, limits: ListLimits, signal: AbortSignal) {
    this.#client = client;
    this.#target = target;
    this.#limits = limits;
    this.#signal = signal;
  }

  async readPages(request: ListRequest): Promise<LiveModel[]> {
    const models: LiveModel[] = [];
    let path: string | undefined = request.path;
    for (let page = 0; path !== undefined && page < MAX_PAGES; page += 1) {
      const answer = await this.get(path);
      try {
        models.push(...request.read(answer));
      } catch {
        throw this.#problem('model_answered_nonsense', 'does not list models there', {
          detail: `What ${this.#host()} answered is JSON, but not a list of models.`,
          action: 'Check the address.',
        });
      }
      path = request.next?.(answer);
    }
    return models;
  }

  /** The parsed JSON of an answer. */
  async get(path: string, baseUrl = this.#target.baseUrl): Promise<unknown> {
    const { kind, key, providerName } = this.#target;
    const url = path.startsWith('origin:')
      ? `${new URL(baseUrl).origin}${path.slice('origin:'.length)}`
      : `${baseUrl}${path}`;
    const response = await this.#client.send(
      {
        method: 'GET',
        url,
        headers: {
          accept: 'application/json',
          ...(kind === 'anthropic' && { 'anthropic-version': '2023-06-01' }),
          ...authorizationHeaders(kind, key),
        },
      },
      { providerName, baseUrl },
      this.#signal,
      { headersMs: this.#limits.timeoutMs, idleMs: this.#limits.timeoutMs },
    );
    const text = await readText(response);
    if (response.status !== 200) throw this.#statusProblem(response, text);
    try {
      return JSON.parse(text);
    } catch {
      throw looksLikePage(response, text)
        ? this.#pageProblem(response.status)
        : this.#problem('model_answered_nonsense', 'answered nonsense', {
            detail: `What ${this.#host()} answered is not JSON: ${this.#quote(text)}`,
            action: 'Check the address, and that a model server runs there.',
          });
    }
  }

  /** Adds the address that would have worked, where the usual suffix alone was missing. */
  async withSuggestion(error: unknown): Promise<unknown> {
    const { kind, baseUrl } = this.#target;
    if (kind !== 'openai-compatible' || !isUnknownThere(error) || /\/v\d[a-z0-9]*$/.test(baseUrl))
      return error;
    const better = `${baseUrl}/v1`;
    try {
      await this.get('/models', better);
    } catch {
      return error;
    }
    const { problem } = error as ProblemError;
    return new ProblemError({ ...problem, action: `Use ${better} as the address: it answers there.` });
  }

  #statusProblem(response: HttpResponse, text: string): ProblemError {
    const { status } = response;
    const said = this.#said(text);
    const isPage = looksLikePage(response, text);
    if (isKeyRefusal(status, text)) {
      const { key } = this.#target;
      return this.#problem('model_key_refused', key === undefined ? 'wants a key' : 'refused the key', {
        detail: `${this.#host()} answered ${status}.${said}`,
        action:
          key === undefined
            ? 'Enter a key.'
            : 'Check that the key is whole, belongs to this provider and has not been revoked.',
      });
    }
    if (status === 429) {
      return this.#problem('model_rate_limited', 'wants no more requests now', {
        detail: `${this.#host()} answered 429.${said}`,
        action: 'Wait a little and try again, or check your plan’s limits.',
      });
    }
    if (status >= 500) {
      return this.#problem('model_server_error', 'has a fault', {
        detail: `${this.#host()} answered ${status}.${isPage ? '' : said}`,
        action: 'Try again later.',
      });
    }
    if (status >= 300 && status < 400) {
      const target = URL.parse(response.headers['location'] ?? '', this.#target.baseUrl);
      return this.#problem('model_address_wrong', 'answers elsewhere', {
        detail: `${this.#host()} answered with a redirect${target ? ` to ${target.origin}${target.pathname}` : ''}, which is not followed with a key.`,
        action: 'Use the address it leads to, if you trust it.',
      });
    }
    if (isPage) return this.#pageProblem(status);
    return this.#problem('model_address_wrong', 'knows no models there', {
      detail: `${this.#host()} answered ${status} to ${new URL(this.#target.baseUrl).pathname}.${said}`,
      action: suggestion(this.#target.baseUrl),
    });
  }

  #pageProblem(status: number): ProblemError {
    return this.#problem('model_address_wrong', 'answered with a web page', {
      detail: `${this.#host()} answered ${status} with a web page instead of a list of models.`,
      action: suggestion(this.#target.baseUrl),
    });
  }

  #problem(code: string, title: string, rest: { detail: string; action: string }): ProblemError {
    const problem: Problem = { code, title: `${this.#target.providerName} ${title}`, ...rest };
    return new ProblemError(problem);
  }

  #host(): string {
    return new URL(this.#target.baseUrl).host;
  }

  #said(text: string): string {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return '';
    }
    const error = Array.isArray(value) ? value[0] : value;
    const inner = typeof error === 'object' && error !== null && 'error' in error ? error.error : undefined;
    const message = errorText(inner) ?? errorText(error);
    return message === undefined ? '' : ` It said: ${this.#quote(message)}`;
  }

  #quote(text: string): string {
    const clean = redactKey(text, this.#target.key).replaceAll(/\s+/g, ' ').trim();
    if (clean === '') return 'nothing at all.';
    return clean.length > 300 ? `${clean.slice(0, 300)}…` : clean;
  }
}

function suggestion(baseUrl: string): string {
  return /\/v\d[a-z0-9]*$/.test(baseUrl)
    ? 'Check the address.'
    : 'Check the address. Most servers want it to end in /v1.';
}

function looksLikePage(response: HttpResponse, text: string): boolean {
  return (
    (response.headers['content-type'] ?? '').toLowerCase().startsWith('text/html') ||
    /^\s*<(!doctype html|html|head|body)\b/i.test(text)
  );
}

async function readText(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_LIST_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
