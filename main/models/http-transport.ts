import type { ProviderKind } from '#shared/models/model.ts';
import { authorizationHeaders } from './authorization.ts';
import type { HttpClient, HttpResponse } from './http-client.ts';
import type { ModelTransport } from './metered-run-model.ts';

export interface HttpTransportOptions {
  readonly client: HttpClient;
  readonly kind: ProviderKind;
  readonly providerName: string;
  /** Address of the model's API, without the path of the call. */
  readonly baseUrl: string;
  readonly key: string | undefined;
}

/** The version of Anthropic's API that Pi's client speaks; a client that says another one is heard. */
const ANTHROPIC_VERSION = '2023-06-01';

/** Calls a provider over HTTP with its key. */
export class HttpTransport implements ModelTransport {
  readonly #options: HttpTransportOptions;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  send(request: Parameters<ModelTransport['send']>[0], signal: AbortSignal): Promise<HttpResponse> {
    const { client, kind, providerName, baseUrl, key } = this.#options;
    const isAnthropicApi = request.path.startsWith('/v1/messages');
    return client.send(
      {
        method: 'POST',
        url: `${baseUrl}${request.path}`,
        headers: {
          ...(isAnthropicApi && { 'anthropic-version': ANTHROPIC_VERSION }),
          ...request.headers,
          ...authorizationHeaders(kind, key),
        },
        body: request.body,
      },
      { providerName, baseUrl },
      signal,
    );
  }
}
