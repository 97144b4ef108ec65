import { z } from 'zod';
import type { Database } from '#main/store/index.ts';
import { DEFAULT_SETTINGS, settingsSchema, type Settings } from '#shared/settings/settings.ts';

/** One named JSON value in the database; for settings that another domain gives their form. */
export class StoredValue {
  readonly #database: Database;
  readonly #name: string;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  /** The value as it was written, or undefined; whoever reads it checks its form. */
  read(): unknown {
    const text = this.#database.get('SELECT value FROM setting WHERE name = ?', this.#name)?.['value'];
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
  }

  write(value: unknown): void {
    this.#database.run(
      'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      this.#name,
      JSON.stringify(value),
    );
  }
}

/** The author's choices. A value that this build does not understand falls back to its default. */
export class DatabaseSettingsStore {
  readonly #stored: StoredValue;
  readonly #listeners = new Set<(settings: Settings) => void>();
  #settings: Settings;

  constructor(database: Database) {
    this.#stored = new StoredValue(database, 'settings');
    this.#settings = readSettings(this.#stored.read());
  }

  get(): Settings {
    return this.#settings;
  }

  update(change: Partial<Settings>): Settings {
    this.#settings = settingsSchema.parse({ ...this.#settings, ...change });
    this.#stored.write(this.#settings);
    for (const listener of this.#listeners) listener(this.#settings);
    return this.#settings;
  }

  onChange(listener: (settings: Settings) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function readSettings(stored: unknown): Settings {
  const known = z.record(z.string(), z.unknown()).safeParse(stored);
  if (!known.success) return DEFAULT_SETTINGS;
  const settings: Record<string, unknown> = { ...DEFAULT_SETTINGS };
  for (const [name, schema] of Object.entries(settingsSchema.shape)) {
    const value = schema.safeParse(known.data[name]);
    if (value.success) settings[name] = value.data;
  }
  return settingsSchema.parse(settings);
}
