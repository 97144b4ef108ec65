import { readFile } from 'node:fs/promises';
import type { Application } from '#main/app/application.ts';
import type { ConnectionService } from '#main/connections/index.ts';
import type { ConnectFlow, Connection } from '#shared/connections/connection.ts';
import type { CredentialField } from '#shared/connections/credential-fields.ts';
import type { AuthNeeds, IntegrationNeeds } from '#shared/connections/requirements.ts';
import { ProblemError } from '#shared/problem.ts';
import { openOnDesktop } from '../browser/open-on-desktop.ts';
import { onEndSignal } from '../end-signals.ts';
import { terminalText } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import { findConnection } from './find-connection.ts';
import { ask, isInteractive, readAll } from './prompt.ts';
import type { Streams } from './streams.ts';
import { withApplication, type DataOptions } from './services.ts';
import { openVault } from './vault-access.ts';

export interface ConnectOptions extends DataOptions {
  readonly auth?: string | undefined;
  readonly label?: string | undefined;
  readonly scopes?: string | undefined;
  /** Label of a connection to sign in to again. */
  readonly renew?: string | undefined;
  readonly device: boolean;
  /** Whether the browser is opened. */
  readonly browser: boolean;
  readonly json: boolean;
}

/**
 * Connects an account. Secrets are typed in without echo or come by the standard input: an argument would
 * stand in the history of the shell and in the list of processes, a variable in every program started from here.
 * @throws ProblemError
 */
export function connectCommand(
  integrationId: string,
  options: ConnectOptions,
  streams: Streams,
): Promise<number> {
  return withApplication(options, async (application) => {
    const { connections } = application;
    const needs = await connections.describe(integrationId);
    const renewed =
      options.renew === undefined
        ? undefined
        : findConnection(connections.state().connections, integrationId, options.renew);
    const auth = authOf(needs, options.auth ?? renewed?.authKey);
    await openVault(application, streams);
    const connection =
      auth.way === 'sign_in'
        ? await signIn(application, { needs, auth, renewed, options }, streams)
        : await connections.create({
            integrationId,
            authKey: auth.authKey,
            fields: await readFields(auth.fields, streams),
            ...(options.label !== undefined && { label: options.label }),
            ...(renewed && { connectionId: renewed.id }),
          });
    if (options.json) await streams.output.json({ connection });
    else await tell(connection, needs, streams);
    return EXIT.success;
  });
}

function authOf({ integrationId, auths }: IntegrationNeeds, wanted: string | undefined): AuthNeeds {
  const found = wanted === undefined ? auths : auths.filter(({ authKey }) => authKey === wanted);
  const [only, ...others] = found;
  if (only && others.length === 0) return only;
  const keys = auths.map(({ authKey, type }) => `${authKey} (${type})`).join(', ');
  throw new ProblemError({
    code: 'auth_unknown',
    title: auths.length === 0 ? 'Nothing to connect' : 'Connect by which method?',
    detail:
      auths.length === 0
        ? `${integrationId} needs no account.`
        : wanted === undefined
          ? `${integrationId} can be connected by ${keys}.`
          : `${integrationId} has no method "${wanted}"; it has ${keys}.`,
    ...(auths.length > 0 && { action: 'Name one of these by --auth.' }),
  });
}

interface SignInRequest {
  readonly needs: IntegrationNeeds;
  readonly auth: AuthNeeds;
  readonly renewed: Connection | undefined;
  readonly options: ConnectOptions;
}

async function signIn(
  { connections }: Application,
  { needs, auth, renewed, options }: SignInRequest,
  streams: Streams,
): Promise<Connection> {
  const { errors } = streams;
  const { integrationId } = needs;
  const { authKey } = auth;
  if (auth.client?.isManual === true && auth.client.clientId === undefined) {
    await registerClient(connections, needs, auth, streams);
  }
  const scopes = (options.scopes ?? '').split(/[\s,]+/).filter((scope) => scope !== '');
  const abort = new AbortController();
  // Before the address is told: who reads it may give up at once.
  using _signals = onEndSignal(() => abort.abort());
  const flow = await connections.connect({
    integrationId,
    authKey,
    scopes,
    ...(renewed && { connectionId: renewed.id }),
    ...(options.device && { kind: 'device' }),
  });
  await tellFlow(flow, streams);
  const address = flow.authorizationUrl ?? flow.verificationUri;
  if (options.browser && address !== undefined) await openBrowser(address, streams);
  const ended = await followFlow(connections, flow, streams, abort.signal);
  if (ended.state !== 'connected' || ended.connectionId === undefined) throw notConnected(ended);
  if (ended.missingScopes !== undefined && ended.missingScopes.length > 0) {
    await errors.line(terminalText(`Not granted: ${ended.missingScopes.join(' ')}`));
  }
  if (options.label !== undefined) return connections.rename(ended.connectionId, options.label);
  const { connectionId } = ended;
  return findConnection(connections.state().connections, integrationId, connectionId);
}

/** Has the person set an app up at the service, which nobody else can. */
async function registerClient(
  connections: ConnectionService,
  { integrationId, displayName, setupSteps }: IntegrationNeeds,
  { authKey, client }: AuthNeeds,
  streams: Streams,
): Promise<void> {
  const { errors } = streams;
  await errors.line(terminalText(`${displayName} wants an app of your own. Once:`));
  for (const [index, { label, url }] of setupSteps.entries()) {
    await errors.line(terminalText(`  ${index + 1}. ${label}${url === undefined ? '' : ` (${url})`}`));
  }
  await errors.line(terminalText(`Redirect URI to register there: ${client?.redirectUri ?? ''}`));
  if (client?.hint !== undefined) await errors.line(terminalText(client.hint));
  const isPublic = client?.isPublicByManifest === true;
  let clientId: string;
  let clientSecret = '';
  if (isInteractive(streams)) {
    clientId = await ask(streams, 'Client id: ');
    if (!isPublic) {
      const question = 'Client secret (nothing when there is none): ';
      clientSecret = await ask(streams, question, { isHidden: true });
    }
  } else {
    await errors.line(
      'Reading two lines of the standard input, to its end: the client id, and its secret if it has one.',
    );
    const lines = (await readAll(streams)).split(/\r?\n/);
    [clientId = '', clientSecret = ''] = lines;
  }
  await connections.saveClient({
    integrationId,
    authKey,
    clientId: clientId.trim(),
    ...(clientSecret !== '' && { clientSecret }),
    isPublic: isPublic || clientSecret === '',
  });
}

async function tellFlow(flow: ConnectFlow, { errors }: Streams): Promise<void> {
  if (flow.kind === 'device') {
    await errors.line(terminalText(`Go to ${flow.verificationUri ?? ''} on any device`));
    await errors.line(terminalText(`and type in this code: ${flow.userCode ?? ''}`));
  } else {
    await errors.line('Sign in at this address:');
    await errors.line(terminalText(flow.authorizationUrl ?? ''));
  }
}

/** A sign-in goes on without this: the person can open the address. */
async function openBrowser(address: string, { errors }: Streams): Promise<void> {
  try {
    await openOnDesktop(address, 'link_not_opened', 'The browser did not open', 'Open the address yourself.');
  } catch {
    await errors.line('The browser was not opened; open the address yourself.');
  }
}

/**
 * Waits for the end of a sign-in. Where the browser is on another computer, the page it is sent back to
 * cannot reach this one: its address can be pasted.
 */
async function followFlow(
  connections: ConnectionService,
  { id, kind }: ConnectFlow,
  streams: Streams,
  signal: AbortSignal,
): Promise<ConnectFlow> {
  const cancel = () => connections.cancel(id);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const over = new AbortController();
  const { promise, resolve } = Promise.withResolvers<ConnectFlow>();
  const look = () => {
    const flow = connections.state().flows.find((known) => known.id === id);
    if (flow && flow.state !== 'waiting' && flow.state !== 'exchanging') resolve(flow);
  };
  const stop = connections.onState(look);
  look();
  if (kind === 'browser' && isInteractive(streams)) {
    void takePastedAddresses(connections, streams, over.signal).catch(() => {
      if (!over.signal.aborted) cancel();
    });
  }
  try {
    return await promise;
  } finally {
    stop();
    over.abort();
    signal.removeEventListener('abort', cancel);
  }
}

async function takePastedAddresses(
  connections: ConnectionService,
  streams: Streams,
  signal: AbortSignal,
): Promise<void> {
  const question = 'Waiting. If the browser cannot come back here, paste the address it was sent to: ';
  for (;;) {
    const address = await ask(streams, question, { isHidden: true, signal });
    if (address.trim() === '') continue;
    try {
      await connections.receiveRedirect(address.trim());
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      await streams.errors.line(terminalText(error.problem.detail));
    }
  }
}

function notConnected({ state, problem }: ConnectFlow): ProblemError {
  if (problem) return new ProblemError(problem);
  return state === 'expired'
    ? new ProblemError({
        code: 'sign_in_expired',
        title: 'Nobody signed in',
        detail: 'The time for the sign-in is over. Nothing was changed.',
      })
    : new ProblemError({ code: 'cancelled', title: 'Cancelled', detail: 'Nothing was changed.' });
}

/** Reads what a method asks for: at the terminal field by field, else the standard input. @throws ProblemError. */
async function readFields(
  fields: readonly CredentialField[],
  streams: Streams,
): Promise<Record<string, string>> {
  if (!isInteractive(streams)) {
    // A program that began this without an input would else wait without knowing for what.
    await streams.errors.line(
      terminalText(`Reading ${expectedOf(fields)} from the standard input, to its end.`),
    );
    return fieldsOf(await readAll(streams), fields);
  }
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = await askField(field, streams);
    if (value !== '') values[field.name] = value;
  }
  return values;
}

async function askField(field: CredentialField, streams: Streams): Promise<string> {
  const { title, description, secret, multiline, choices, required, defaultValue } = field;
  if (description !== undefined) await streams.errors.line(terminalText(description));
  const notes = [
    ...(choices.length > 0 ? [choices.join(' | ')] : []),
    ...(multiline ? ['a file that holds it'] : []),
    ...(required ? [] : ['optional']),
    ...(defaultValue === undefined ? [] : [`default ${defaultValue}`]),
  ];
  const question = `${title}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}: `;
  const answer = await ask(streams, terminalText(question), { isHidden: secret && !multiline });
  if (answer === '') return defaultValue ?? '';
  return multiline ? readKeyFile(answer.trim()) : answer;
}

/** Certificates and keys are files; nobody types them. */
async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ProblemError(
      { code: 'input_unreadable', title: 'File not read', detail: `${path} cannot be read.`, file: path },
      { cause: error },
    );
  }
}

function expectedOf(fields: readonly CredentialField[]): string {
  const [first, ...others] = fields;
  if (first && others.length === 0) return `"${first.title}"`;
  return `a JSON object with ${fields.map(({ name }) => `"${name}"`).join(', ')}`;
}

/** One field is the input as it is; several are members of a JSON object. */
function fieldsOf(input: string, fields: readonly CredentialField[]): Record<string, string> {
  const [first, ...others] = fields;
  if (first && others.length === 0) return { [first.name]: input };
  const names = fields.map(({ name }) => name).join(', ');
  let value: unknown;
  try {
    value = JSON.parse(input);
  } catch {
    value = undefined;
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.values(value as object).every((member) => typeof member === 'string')) {
    throw new ProblemError({
      code: 'input_not_object',
      title: 'The input is not an object',
      detail: `A JSON object with texts is expected on the standard input, with: ${names}.`,
    });
  }
  return value as Record<string, string>;
}

async function tell(connection: Connection, needs: IntegrationNeeds, { output }: Streams): Promise<void> {
  const { label, accountId, scopes } = connection;
  const account = accountId === 'default' || accountId === label ? '' : ` (${accountId})`;
  await output.line(terminalText(`${needs.displayName} is connected as "${label}"${account}.`));
  if (scopes.length > 0) await output.line(terminalText(`Granted: ${scopes.join(' ')}`));
}
