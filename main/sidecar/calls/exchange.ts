import type { ApiAuth, CredentialsAnswer, OutboundCall } from '#shared/protocol/integrations.ts';
import { toProblem } from '#shared/problem.ts';
import { clientCertificateIn, type ClientCertificate } from '#shared/tools/client-certificate.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { renderDelivery } from '#shared/tools/http-delivery.ts';
import {
  CREDENTIAL_PLACEHOLDER,
  fillPlaceholders,
  namesField,
  spacedScheme,
} from '#shared/tools/placeholders.ts';
import { judgeTarget, type TargetPolicy, type TargetVerdict } from '#shared/tools/target-rules.ts';
import { parseRedirect, parseTarget } from '#shared/tools/target-url.ts';
import { ConnectionRefused } from '../network/connector.ts';
import type { HttpClient, HttpResponse } from '../network/http-client.ts';
import { checkHeader, type CallArguments } from './call-arguments.ts';
import { CallFailure } from './call-failure.ts';
import { CookieJar } from './cookie-jar.ts';
import type { Credentials } from './credentials.ts';
import type { Deadline } from './deadline.ts';
import { refuseUnresolved, textsOf, writeBody, type RequestBody } from './request-body.ts';
import { hideSecretsIn } from './text-bytes.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Some services refuse requests of nobody. */
const USER_AGENT = 'Slipway';

export interface ExchangeOptions {
  readonly auth: ApiAuth;
  readonly connectionId: string;
  readonly http: HttpClient;
  readonly credentials: Credentials;
}

/** What is known of one request when it has been answered, or refused. */
export type HopReport = Pick<
  OutboundCall,
  'method' | 'url' | 'status' | 'code' | 'rule' | 'bytesSent' | 'durationMs'
>;

/** How one call is sent. */
export interface SendOptions {
  /** Leaves the credential out. */
  readonly isAnonymous: boolean;
  readonly deadline: Deadline;
  /** Milliseconds for each attempt. */
  readonly attemptMs: number;
  /** Told of every hop. */
  readonly onHop: (hop: HopReport) => void;
}

/** The last response of a call; its body is still to be read. */
export interface ExchangeResult {
  readonly response: HttpResponse;
  readonly finalUrl: string;
  /** What must not be shown, with the name it goes by. */
  readonly secrets: ReadonlyMap<string, string>;
}

type Header = readonly [name: string, value: string];
type AllowedTarget = TargetVerdict & { allowed: true };

/** One request on its way, redirects included. */
interface Hop {
  verdict: AllowedTarget;
  method: string;
  headers: readonly Header[];
  body: Buffer | undefined;
  /** The header that the credential is in. */
  injected: Header | undefined;
  /** What the connection shows of itself. */
  clientCertificate: ClientCertificate | undefined;
}

/** What a request is made of once its credential is known. */
interface Prepared {
  readonly hop: Hop;
  readonly secrets: ReadonlyMap<string, string>;
  readonly body: RequestBody;
  /** Where the call put a secret that a redirect would take along. */
  readonly secretIn: { readonly headers: boolean; readonly body: boolean };
  /** Whether another credential could make a difference. */
  readonly isAuthenticated: boolean;
}

/** The requests of one connection through one authentication method: its cookies and its last refusal. */
export class ConnectionExchange {
  readonly #options: ExchangeOptions;
  readonly #policy: TargetPolicy;
  readonly #jar = new CookieJar();
  /** What was refused although it was fresh: there is no point in fetching another for each call. */
  #refusedAnswer: CredentialsAnswer | undefined;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#policy = {
      authorizedUris: compileAuthorizedUris(options.auth.authorizedUris),
      allowsAllUris: options.auth.allowsAllUris,
    };
  }

  /**
   * Sends a call in the order of the reference (section 1.4) and follows where it leads. After a 401 it
   * asks once for another credential.
   * @throws CallFailure
   */
  async send(call: CallArguments, options: SendOptions): Promise<ExchangeResult> {
    const { deadline, attemptMs } = options;
    const answer = await this.#credential(() => this.#options.credentials.get(this.#options.connectionId));
    deadline.endIn(attemptMs);
    const first = this.#prepare(call, answer, options);
    const result = await this.#follow(first, options);
    const isKnown = this.#refusedAnswer !== undefined && isSame(this.#refusedAnswer, answer);
    const mayRefresh = this.#options.auth.canRefresh && first.isAuthenticated && !isKnown;
    if (result.response.status !== 401 || !mayRefresh) return result;
    const fresh = await this.#options.credentials
      .refresh(this.#options.connectionId, answer)
      .catch(() => undefined);
    if (fresh === undefined) return result;
    if (isSame(fresh, answer)) {
      this.#refusedAnswer = fresh;
      return result;
    }
    result.response.discard();
    deadline.endIn(attemptMs);
    const second = await this.#follow(this.#prepare(call, fresh, options), options);
    if (second.response.status === 401) this.#refusedAnswer = fresh;
    return second;
  }

  async #credential(get: () => Promise<CredentialsAnswer>): Promise<CredentialsAnswer> {
    try {
      return await get();
    } catch (error) {
      const { detail, action } = toProblem(error);
      const text = [detail, action].filter((part) => part !== undefined).join(' ');
      throw new CallFailure(`The credential cannot be used: ${text}`, {
        code: 'credential_unusable',
        cause: error,
      });
    }
  }

  #prepare(call: CallArguments, answer: CredentialsAnswer, { isAnonymous, onHop }: SendOptions): Prepared {
    const { auth } = this.#options;
    const rendered =
      auth.delivery && !isAnonymous
        ? renderDelivery(auth.delivery, answer.fields, (text) => Buffer.from(text, 'utf8').toString('base64'))
        : undefined;
    if (rendered?.kind === 'unusable') {
      throw new CallFailure(rendered.reason, { code: 'credential_unusable' });
    }
    const fields = {
      ...answer.fields,
      ...(rendered?.kind === 'value' && { [CREDENTIAL_PLACEHOLDER]: rendered.value }),
    };
    const secrets = secretsOf(answer, rendered?.kind === 'value' ? rendered.secret : undefined);

    const url = fillPlaceholders(call.target, fields);
    refuseUnresolved(url.unresolved, "'target'");
    const headerTemplates = call.headers.map(([name, value]): Header => [name, spacedScheme(name, value)]);
    const inHeaders = headerTemplates.some(([, value]) => namesField(value, fields));
    const inBody = call.substituteBody && textsOf(call.body).some((text) => namesField(text, fields));
    const substitutesCredential = inHeaders || inBody || namesField(call.target, fields);

    const verdict = judgeTarget(parseTarget(url.text), this.#policy, {
      substitutesCredential,
      isRedirect: false,
    });
    if (!verdict.allowed) throw this.#refused(call, verdict, onHop);

    const callerHeaders = headerTemplates.map(([name, template]): Header => {
      const value = fillPlaceholders(template, fields);
      refuseUnresolved(value.unresolved, `header ${name}`);
      checkHeader(name, value.text);
      return [name, value.text];
    });
    const body = writeBody(call.body, call.substituteBody ? fields : undefined);
    const injected: Header | undefined =
      auth.delivery && rendered?.kind === 'value' ? [auth.delivery.header, rendered.value] : undefined;
    const isOverridden =
      injected !== undefined &&
      auth.delivery?.allowsOverride === true &&
      callerHeaders.some(([name]) => isNamed(name, injected[0]));
    const used = isOverridden ? undefined : injected;
    const clientCertificate =
      auth.showsCertificate === true && !isAnonymous ? clientCertificateIn(answer.fields) : undefined;
    return {
      hop: {
        verdict,
        method: call.method,
        headers: headersFor(callerHeaders, used, body),
        body: body.bytes,
        injected: used,
        clientCertificate,
      },
      secrets,
      body,
      secretIn: { headers: inHeaders, body: inBody },
      isAuthenticated:
        used !== undefined || clientCertificate !== undefined || (substitutesCredential && !isOverridden),
    };
  }

  #refused(
    call: CallArguments,
    { code, reason }: TargetVerdict & { allowed: false },
    onHop: SendOptions['onHop'],
  ): CallFailure {
    // The address as the model wrote it: with its placeholders.
    onHop({
      method: call.method,
      url: withoutQuery(call.target),
      status: 0,
      code,
      bytesSent: 0,
      durationMs: 0,
    });
    const { authorizedUris } = this.#options.auth;
    const allowed =
      code === 'unauthorized_target' ? ` Allowed: ${authorizedUris.join(', ') || 'no address'}.` : '';
    return new CallFailure(`${reason}${allowed}`, { code });
  }

  async #follow(prepared: Prepared, options: SendOptions): Promise<ExchangeResult> {
    const { secrets } = prepared;
    const hop = { ...prepared.hop };
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#sendHop(hop, secrets, options);
      const { target } = hop.verdict;
      const location = single(response.headers['location']);
      const finalUrl = hideSecretsIn(target.href, secrets);
      if (!REDIRECTS.has(response.status) || location === undefined) return { response, finalUrl, secrets };
      const next = this.#nextHop(hop, prepared, response.status, location);
      // A body that may not go where it is sent: the model is shown where that would be.
      if (next === undefined) return { response, finalUrl, secrets };
      response.discard();
      if (redirects === MAX_REDIRECTS) {
        throw new CallFailure(`More than ${MAX_REDIRECTS} redirects, the last from ${target.host}`, {
          code: 'upstream_unreachable',
        });
      }
      Object.assign(hop, next);
    }
  }

  async #sendHop(
    hop: Hop,
    secrets: ReadonlyMap<string, string>,
    { deadline, onHop }: SendOptions,
  ): Promise<HttpResponse> {
    const { target, waivesAddressCheck, pattern } = hop.verdict;
    const startedAt = performance.now();
    const report = (status: number, code?: OutboundCall['code']) =>
      onHop({
        method: hop.method,
        url: hideSecretsIn(withoutQuery(target.href), secrets),
        status,
        ...(code !== undefined && { code }),
        ...(pattern !== undefined && { rule: pattern }),
        bytesSent: hop.body?.length ?? 0,
        durationMs: performance.now() - startedAt,
      });
    try {
      const response = await this.#options.http.send(
        {
          target,
          method: hop.method,
          headers: this.#withCookies(hop),
          body: hop.body,
          waivesAddressCheck,
          clientCertificate: hop.clientCertificate,
        },
        deadline.signal,
      );
      const cookies = response.headers['set-cookie'];
      if (cookies !== undefined) this.#jar.store(target, typeof cookies === 'string' ? [cookies] : cookies);
      report(response.status);
      return response;
    } catch (error) {
      const failure = failureOf(error, deadline, target.host);
      report(0, failure instanceof CallFailure ? failure.code : undefined);
      throw failure;
    }
  }

  #withCookies({ verdict, headers }: Hop): readonly Header[] {
    const own = headers.filter(([name]) => isNamed(name, 'cookie')).map(([, value]) => value);
    const cookies = this.#jar.header(verdict.target, own.length === 0 ? undefined : own.join('; '));
    const others = headers.filter(([name]) => !isNamed(name, 'cookie'));
    return cookies === undefined ? others : [...others, ['cookie', cookies]];
  }

  /** Where a redirect leads and what goes there; undefined when it is left to the model. */
  #nextHop(hop: Hop, prepared: Prepared, status: number, location: string): Hop | undefined {
    const from = hop.verdict.target;
    const becomesGet =
      (status === 303 && hop.method !== 'HEAD' && hop.method !== 'GET') ||
      ((status === 301 || status === 302) && hop.method === 'POST');
    const { secretIn } = prepared;
    const target = parseRedirect(location, from);
    const verdict = judgeTarget(target, this.#policy, {
      substitutesCredential: secretIn.headers || (secretIn.body && hop.body !== undefined && !becomesGet),
      isRedirect: true,
    });
    if (!verdict.allowed) {
      const { code, reason } = verdict;
      const host = 'fault' in target ? '' : ` to ${target.host}`;
      throw new CallFailure(`The redirect${host} was not followed. ${reason}`, { code });
    }
    const leaves = verdict.target.origin !== from.origin && !verdict.isBounded;
    const keepsBody = !becomesGet && hop.body !== undefined;
    if (leaves && keepsBody) return undefined;
    return {
      verdict,
      method: becomesGet ? 'GET' : hop.method,
      headers: hop.headers.filter(([name]) => {
        if (becomesGet && /^content-/i.test(name)) return false;
        return !leaves || !isCredentialHeader(name, hop.injected ?? prepared.hop.injected);
      }),
      body: becomesGet ? undefined : hop.body,
      injected: leaves ? undefined : hop.injected,
      clientCertificate: leaves ? undefined : hop.clientCertificate,
    };
  }
}

function headersFor(caller: readonly Header[], injected: Header | undefined, body: RequestBody): Header[] {
  const headers = caller.filter(
    ([name]) =>
      (injected === undefined || !isNamed(name, injected[0])) &&
      (!body.isTypeFixed || !isNamed(name, 'content-type')),
  );
  const has = (wanted: string) => headers.some(([name]) => isNamed(name, wanted));
  if (body.contentType !== undefined && !has('content-type'))
    headers.push(['content-type', body.contentType]);
  if (!has('user-agent')) headers.push(['user-agent', USER_AGENT]);
  if (!has('accept')) headers.push(['accept', '*/*']);
  headers.push(['accept-encoding', 'gzip, deflate, br']);
  if (injected !== undefined) headers.push(injected);
  return headers;
}

function isCredentialHeader(name: string, injected: Header | undefined): boolean {
  return (
    isNamed(name, 'authorization') ||
    isNamed(name, 'cookie') ||
    (injected !== undefined && isNamed(name, injected[0]))
  );
}

function failureOf(error: unknown, deadline: Deadline, host: string): unknown {
  if (deadline.hasExpired) {
    return new CallFailure(`No answer in time (${host})`, { code: 'upstream_timeout', cause: error });
  }
  if (!(error instanceof ConnectionRefused)) return error;
  return new CallFailure(error.message, { code: error.code, cause: error });
}

/** Whether two answers of main would make the same request. */
export function isSame(a: CredentialsAnswer, b: CredentialsAnswer): boolean {
  const names = Object.keys(a.fields);
  return (
    names.length === Object.keys(b.fields).length && names.every((name) => a.fields[name] === b.fields[name])
  );
}

/** What must not be shown of a credential, longest first, so that no part of one is taken for another. */
export function secretsOf(answer: CredentialsAnswer, rendered: string | undefined): Map<string, string> {
  const isPublic = new Set(answer.publicFields);
  const secrets = Object.entries(answer.fields).flatMap(([name, value]): [string, string][] =>
    isPublic.has(name) || value === '' ? [] : [[value, name]],
  );
  if (rendered !== undefined && rendered !== '' && !secrets.some(([value]) => value === rendered)) {
    secrets.push([rendered, CREDENTIAL_PLACEHOLDER]);
  }
  return new Map(secrets.sort(([a], [b]) => b.length - a.length));
}

export function withoutQuery(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? '';
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

function isNamed(name: string, wanted: string): boolean {
  return name.toLowerCase() === wanted.toLowerCase();
}
