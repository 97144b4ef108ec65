import type { AuthMethod } from '../manifest/model/integration.ts';
import type { McpServerManifest, ServerSetting } from '../manifest/model/mcp-server.ts';
import { ProblemError, type Problem } from '../problem.ts';
import { BUNDLE_PATH, EGRESS_SOCKET_PATH, RUNNER_HOME } from '../protocol/layout.ts';
import type { RunnerStart } from '../protocol/runner.ts';
import { checkFilePath } from './file-paths.ts';

/** Value of one setting, as a person gave it. */
export type SettingValue = string | number | boolean | readonly string[];

/** What a local MCP server is started with. */
export interface LaunchInput {
  readonly server: McpServerManifest;
  readonly delivery: AuthMethod['delivery'];
  /** The credential's fields. */
  readonly fields: Readonly<Record<string, string>>;
  /** Fields that are no secret. */
  readonly publicFields: readonly string[];
  /** By key of `user_config`. */
  readonly settings: Readonly<Record<string, SettingValue>>;
  /** Where the server sees the run's workspace, when it does. */
  readonly workspace: string | undefined;
  /** What admits the server to the sidecar's proxy; it has no way out without. */
  readonly egressToken?: string | undefined;
}

export interface Launch {
  readonly start: RunnerStart;
  /** What must appear nowhere: values of the credential and of settings that are sensitive. */
  readonly secrets: readonly string[];
  /** Folders that the files go into, outside of those that every runner has. */
  readonly memoryFolders: readonly string[];
}

const NODE = '/usr/local/bin/node';
const PYTHON = '/usr/bin/python3';

/** All that a server finds in its environment beside what its package declares. */
const BASE_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: RUNNER_HOME,
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
};

/** Of the container's own; nothing else listens in it. */
const EGRESS_PORT = 3128;
const DEFAULT_FILE_MODE = '0400';
const LARGEST_VALUE = 1024 * 1024;

/**
 * What a local MCP server becomes in its runner (reference: sidecar, sections 6.3, 6.4 and 6.6; afps, section
 * 7.2). The interpreter follows from the kind of server, never from the bundle's own word.
 * @throws ProblemError `server_runtime_missing`, `server_settings_missing`, `server_secret_in_arguments`,
 * `delivery_path_refused`, `server_value_too_large`, `delivery_unsupported`
 */
export function planLaunch(input: LaunchInput): Launch {
  const { server, delivery } = input;
  checkLaunchable(server, delivery);
  const delivered = deliveredValues(input);
  const settings = resolveSettings(input, delivered);
  const environment = environmentOf(input, delivered, settings);
  const files = filesOf(input);
  const secrets = [
    ...Object.entries(input.fields).flatMap(([name, value]) =>
      input.publicFields.includes(name) ? [] : [value],
    ),
    ...[...settings.values()].flatMap(({ texts, isSecret }) => (isSecret ? texts : [])),
    ...delivered.flatMap(({ value, isSecret }) => (isSecret ? [value] : [])),
    ...files.flatMap(({ text, isSecret }) => (isSecret ? [text] : [])),
    input.egressToken ?? '',
  ];
  return {
    start: {
      ...commandOf(server, argumentsOf(server, settings)),
      environment: {
        ...BASE_ENVIRONMENT,
        ...runtimeEnvironment(server),
        ...proxyEnvironment(input.egressToken),
        ...environment,
      },
      files: files.map(({ path, mode, text }) => ({ path, mode, text })),
      ...(input.egressToken !== undefined && {
        egress: { port: EGRESS_PORT, socketPath: EGRESS_SOCKET_PATH },
      }),
    },
    secrets: [...new Set(secrets)].filter((secret) => secret !== ''),
    memoryFolders: [...new Set(files.flatMap(({ folder }) => (folder === undefined ? [] : [folder])))],
  };
}

/**
 * What can be known before there is a credential.
 * @throws ProblemError `server_runtime_missing`, `server_entry_point_unsafe`, `delivery_unsupported`
 */
export function checkLaunchable(server: McpServerManifest, delivery: AuthMethod['delivery']): void {
  if (delivery.http !== undefined) throw httpDelivery(server.displayName);
  commandOf(server, []);
}

interface DeliveredValue {
  readonly variable: string;
  readonly settingKey: string;
  readonly value: string;
  readonly isSecret: boolean;
}

/** Values of `delivery.env`; those that render empty are left out. */
function deliveredValues({ delivery, fields, publicFields }: LaunchInput): DeliveredValue[] {
  return Object.entries(delivery.env ?? {}).flatMap(([variable, entry]) => {
    const { text, isSecret } = render(entry.value, fields, publicFields);
    if (text === '') return [];
    bounded(variable, text);
    return [
      {
        variable,
        settingKey: entry.user_config_key ?? variable,
        value: text,
        isSecret: isSecret && entry.sensitive !== false,
      },
    ];
  });
}

interface ResolvedSetting {
  readonly texts: readonly string[];
  readonly isSecret: boolean;
}

/** What each setting is: delivered by the connection, given by the person, or the server's own default. */
function resolveSettings(
  { server, settings, workspace }: LaunchInput,
  delivered: readonly DeliveredValue[],
): Map<string, ResolvedSetting> {
  const resolved = new Map<string, ResolvedSetting>();
  const missing: string[] = [];
  for (const [key, setting] of Object.entries(server.settings)) {
    const texts = textsOf(settings[key] ?? defaultOf(setting, workspace));
    const byConnection = delivered.find(({ settingKey }) => settingKey === key);
    if (byConnection !== undefined) {
      resolved.set(key, {
        texts: [byConnection.value],
        isSecret: byConnection.isSecret || setting.sensitive,
      });
    } else if (texts.some((text) => text !== '')) {
      for (const text of texts) bounded(setting.title, text);
      resolved.set(key, { texts, isSecret: setting.sensitive });
    } else if (setting.required) {
      missing.push(key);
    }
  }
  // A connection may fill a key that the server does not declare.
  for (const { settingKey, value, isSecret } of delivered) {
    if (!resolved.has(settingKey)) resolved.set(settingKey, { texts: [value], isSecret });
  }
  if (missing.length > 0) throw settingsMissing(server, missing);
  return resolved;
}

function defaultOf(setting: ServerSetting, workspace: string | undefined): SettingValue | undefined {
  // Folders of a person's computer mean nothing in a container; the workspace is the one there is.
  if (setting.type === 'directory') return workspace;
  const { default: value } = setting;
  return isSettingValue(value) ? value : undefined;
}

/** Whether a value can be that of a setting at all. */
export function isSettingValue(value: unknown): value is SettingValue {
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string');
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function textsOf(value: SettingValue | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}

const SETTING_REFERENCE = /\$\{user_config\.([^}]+)\}/g;

/** The variables that the server's package declares; one that refers to nothing given is left out. */
function environmentOf(
  { server }: LaunchInput,
  delivered: readonly DeliveredValue[],
  settings: ReadonlyMap<string, ResolvedSetting>,
): Record<string, string> {
  const declared = Object.entries(server.environment).flatMap(([name, template]) => {
    const keys = [...template.matchAll(SETTING_REFERENCE)].map(([, key = '']) => key);
    if (keys.length > 0 && !keys.some((key) => settings.has(key))) return [];
    return [[name, fill(template, settings)] as const];
  });
  return {
    ...Object.fromEntries(declared),
    ...Object.fromEntries(delivered.map(({ variable, value }) => [variable, value])),
  };
}

/** Arguments of the server; a list of values becomes as many arguments. */
function argumentsOf(
  { displayName, arguments: templates }: McpServerManifest,
  settings: ReadonlyMap<string, ResolvedSetting>,
): string[] {
  return templates.flatMap((template) => {
    for (const [, key = ''] of template.matchAll(SETTING_REFERENCE)) {
      if (settings.get(key)?.isSecret) throw secretInArguments(displayName, key);
    }
    const only = /^\$\{user_config\.([^}]+)\}$/.exec(template)?.[1];
    if (only !== undefined) return [...(settings.get(only)?.texts ?? [])];
    return [fill(template, settings)];
  });
}

function fill(template: string, settings: ReadonlyMap<string, ResolvedSetting>): string {
  return template
    .replaceAll(SETTING_REFERENCE, (_, key: string) => (settings.get(key)?.texts ?? []).join(','))
    .replaceAll('${__dirname}', BUNDLE_PATH)
    .replaceAll('${HOME}', RUNNER_HOME)
    .replaceAll(/\$\{(?:\/|pathSeparator)\}/g, '/');
}

/** The program to become. A bundle's arguments count where they name its entry point, as MCPB has them do. */
function commandOf(
  server: McpServerManifest,
  given: readonly string[],
): Pick<RunnerStart, 'command' | 'arguments'> {
  const entry = `${BUNDLE_PATH}/${entryPointOf(server)}`;
  const names = (argument: string) => pathIn(argument) === entry;
  switch (server.runtime) {
    case 'node':
      return { command: NODE, arguments: given.some(names) ? [...given] : [entry, ...given] };
    case 'python':
      // Unbuffered, or an answer would wait for the next.
      return { command: PYTHON, arguments: ['-u', ...(given.some(names) ? given : [entry, ...given])] };
    case 'binary':
      return { command: entry, arguments: [...given] };
    case 'bun':
    case 'uv':
      throw runtimeMissing(server);
  }
}

function pathIn(argument: string): string {
  const steps = (argument.startsWith('/') ? argument : `${BUNDLE_PATH}/${argument}`).split('/');
  return `/${steps.filter((step) => step !== '' && step !== '.').join('/')}`;
}

/** Path of the entry point in its bundle. @throws ProblemError `server_entry_point_unsafe` */
export function entryPointOf({ displayName, entryPoint }: McpServerManifest): string {
  const steps = entryPoint.split('/').filter((step) => step !== '' && step !== '.');
  if (entryPoint.startsWith('/') || steps.length === 0 || steps.includes('..') || entryPoint.includes('\\')) {
    throw new ProblemError({
      code: 'server_entry_point_unsafe',
      title: `${displayName} cannot be started`,
      detail: 'Its manifest names an entry point outside of its bundle.',
      action: 'Correct "server.entry_point" in its manifest.',
    });
  }
  return steps.join('/');
}

/** How programs find the proxy: each language has a spelling of its own, and Node wants to be told to look. */
function proxyEnvironment(token: string | undefined): Record<string, string> {
  if (token === undefined) return {};
  const proxy = `http://slipway:${token}@127.0.0.1:${EGRESS_PORT}`;
  const exempt = '127.0.0.1,localhost';
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: exempt,
    no_proxy: exempt,
    NODE_USE_ENV_PROXY: '1',
  };
}

function runtimeEnvironment({ runtime }: McpServerManifest): Record<string, string> {
  if (runtime !== 'python') return {};
  return { PYTHONPATH: `${BUNDLE_PATH}/vendor:${BUNDLE_PATH}`, PYTHONDONTWRITEBYTECODE: '1' };
}

interface DeliveredFile {
  readonly path: string;
  readonly folder: string | undefined;
  readonly mode: number;
  readonly text: string;
  readonly isSecret: boolean;
}

function filesOf({ server, delivery, fields, publicFields }: LaunchInput): DeliveredFile[] {
  return Object.entries(delivery.files ?? {}).flatMap(([path, entry]) => {
    const { text, isSecret } = render(entry.value, fields, publicFields);
    if (text === '') return [];
    bounded(path, text);
    const place = checkFilePath(server.displayName, path);
    return [{ ...place, mode: Number.parseInt(entry.mode ?? DEFAULT_FILE_MODE, 8), text, isSecret }];
  });
}

function render(
  template: string,
  fields: Readonly<Record<string, string>>,
  publicFields: readonly string[],
): { text: string; isSecret: boolean } {
  let isSecret = false;
  const text = template.replaceAll(/\{\$credential\.(\w+)\}/g, (_, name: string) => {
    if (!Object.hasOwn(fields, name)) return '';
    if (!publicFields.includes(name)) isSecret = true;
    return fields[name] ?? '';
  });
  return { text, isSecret };
}

function bounded(name: string, text: string): void {
  if (text.length <= LARGEST_VALUE && !text.includes('\u0000')) return;
  throw new ProblemError({
    code: 'server_value_too_large',
    title: 'A value cannot be given to the server',
    detail: `The value of ${name} is longer than a megabyte, or has characters that no program takes.`,
  });
}

const RUNTIME_NAMES: Readonly<Record<string, string>> = { bun: 'Bun', uv: 'uv' };

function runtimeMissing({ displayName, runtime }: McpServerManifest): ProblemError {
  return new ProblemError({
    code: 'server_runtime_missing',
    title: `${displayName} needs ${RUNTIME_NAMES[runtime] ?? runtime}`,
    detail: `The server runs on ${RUNTIME_NAMES[runtime] ?? runtime}, which is not in the image that servers run in. There are Node 24 and Python 3.11, and programs of their own.`,
    action:
      runtime === 'uv'
        ? 'Use a bundle of type "python" with its packages in "vendor".'
        : 'Use a bundle that runs on Node.',
  });
}

function settingsMissing(
  { displayName, name, settings }: McpServerManifest,
  keys: readonly string[],
): ProblemError {
  const titles = keys.map((key) => settings[key]?.title ?? key);
  const problem: Problem = {
    code: 'server_settings_missing',
    title: `${displayName} has not been told all it needs`,
    detail: `The server ${name} needs ${titles.join(', ')}.`,
    action: 'Fill in its settings, then start it again.',
    causes: keys.map((key) => ({ code: 'server_setting_missing', detail: key, pointer: `/settings/${key}` })),
  };
  return new ProblemError(problem);
}

function secretInArguments(name: string, key: string): ProblemError {
  return new ProblemError({
    code: 'server_secret_in_arguments',
    title: `${name} would show a secret`,
    detail: `Its manifest puts "${key}", which is secret, into the arguments of a program. Others who use the computer can read those.`,
    action: 'Put it into "env" of "mcp_config" instead.',
  });
}

function httpDelivery(name: string): ProblemError {
  return new ProblemError({
    code: 'delivery_unsupported',
    title: `${name} cannot be given its credential`,
    detail:
      'The integration delivers its credential by "http": into requests of the server, which would not see it itself. This version of Slipway does not do that for local servers.',
    action: 'Deliver it by "env" or "files", where the server itself holds it.',
  });
}
