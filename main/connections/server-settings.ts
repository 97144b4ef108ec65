import { z } from 'zod';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import { isSettingValue, type SettingValue } from '#shared/mcp-bundle/launch.ts';
import type { McpServerManifest, ServerSetting } from '#shared/manifest/model/mcp-server.ts';
import { ProblemError } from '#shared/problem.ts';
import type { DescribedSettings } from './connection-service.ts';

const settingsSchema = z.record(z.string(), z.unknown());
const LONGEST_VALUE = 64 * 1024;

/** What a page is shown of a server's settings: no secret of them. */
export interface ShownSettings {
  readonly values: Readonly<Record<string, SettingValue>>;
  /** Keys of secrets that are kept. */
  readonly kept: readonly string[];
  /** Keys that the server needs and nobody has given. */
  readonly missing: readonly string[];
}

/**
 * What the author has told local MCP servers (`user_config` of a bundle), by the server's package. All of it is
 * in the vault, whatever of it is secret.
 */
export class ServerSettings {
  readonly #secrets: SecretStore;
  readonly #protect: (secret: string) => void;

  /** @param protect makes a secret known to the log's redactor */
  constructor(secrets: SecretStore, protect: (secret: string) => void) {
    this.#secrets = secrets;
    this.#protect = protect;
  }

  /** @throws ProblemError `vault_locked` */
  async get(packageName: string): Promise<Readonly<Record<string, SettingValue>>> {
    const text = await this.#secrets.get(nameOf(packageName));
    const values = text === undefined ? {} : (settingsSchema.safeParse(JSON.parse(text)).data ?? {});
    return Object.fromEntries(
      Object.entries(values).flatMap(([key, value]) => (isSettingValue(value) ? [[key, value]] : [])),
    );
  }

  /** @throws ProblemError `vault_locked` */
  async show({ name, settings }: McpServerManifest): Promise<ShownSettings> {
    const values = await this.get(name);
    const keys = Object.keys(settings);
    return {
      values: Object.fromEntries(
        Object.entries(values).filter(([key]) => settings[key]?.sensitive === false),
      ),
      kept: keys.filter((key) => settings[key]?.sensitive === true && values[key] !== undefined),
      missing: keys.filter(
        (key) =>
          settings[key]?.required === true &&
          values[key] === undefined &&
          settings[key].default === undefined,
      ),
    };
  }

  /**
   * Keeps what was given; a secret that is left out stays as it was, `null` takes a value away.
   * @throws ProblemError `server_settings_invalid`, `vault_locked`
   */
  async save(
    server: McpServerManifest,
    given: Readonly<Record<string, SettingValue | null>>,
  ): Promise<ShownSettings> {
    const before = await this.get(server.name);
    const after: Record<string, SettingValue> = {};
    for (const [key, setting] of Object.entries(server.settings)) {
      const value = given[key] === undefined ? (setting.sensitive ? before[key] : undefined) : given[key];
      if (value === undefined || value === null || value === '') continue;
      after[key] = checked(key, setting, value);
      if (setting.sensitive) for (const text of [after[key]].flat()) this.#protect(String(text));
    }
    await this.#secrets.set(nameOf(server.name), JSON.stringify(after));
    return this.show(server);
  }
}

/** A server's settings as a form shows them. */
export function describeSettings(
  { name, settings }: McpServerManifest,
  { values, kept }: ShownSettings,
): DescribedSettings {
  return {
    server: name,
    settings: Object.entries(settings).map(([key, setting]) => {
      const { type, title, description, required, multiple, sensitive: isSecret, default: preset } = setting;
      const value = values[key];
      return {
        key,
        type,
        title,
        description,
        required,
        multiple,
        isSecret,
        isKept: kept.includes(key),
        ...(value !== undefined && { value: copyOf(value) }),
        ...(!isSecret && isSettingValue(preset) && { default: copyOf(preset) }),
      };
    }),
  };
}

function copyOf(value: SettingValue): string | number | boolean | string[] {
  return typeof value === 'object' ? [...value] : value;
}

function nameOf(packageName: string): string {
  return `server-settings/${packageName}`;
}

function checked(key: string, setting: ServerSetting, value: SettingValue): SettingValue {
  const { type, title, multiple, min, max } = setting;
  const refuse = (reason: string): ProblemError =>
    new ProblemError({
      code: 'server_settings_invalid',
      title: 'A setting cannot be used',
      detail: `${title}: ${reason}.`,
      pointer: `/settings/${key}`,
    });
  if (typeof value === 'object') {
    if (!multiple) throw refuse('it takes one value, not a list');
    if (value.some((part) => part.length > LONGEST_VALUE)) throw refuse('a value is too long');
    return value;
  }
  if (type === 'number') {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) throw refuse('it must be a number');
    if (min !== undefined && number < min) throw refuse(`it must be at least ${min}`);
    if (max !== undefined && number > max) throw refuse(`it must be at most ${max}`);
    return number;
  }
  if (type === 'boolean') {
    if (typeof value !== 'boolean') throw refuse('it is either on or off');
    return value;
  }
  if (typeof value !== 'string') throw refuse('it must be text');
  if (value.length > LONGEST_VALUE || value.includes('\u0000')) throw refuse('it is too long, or no text');
  return multiple ? [value] : value;
}
