import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '#main/store/index.ts';
import { DEFAULT_SETTINGS } from '#shared/settings/settings.ts';
import { DatabaseSettingsStore, StoredValue } from './index.ts';

it('keeps what it understands of settings that an older or newer build wrote', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-settings-'));
  try {
    using database = openDatabase(folder);
    new StoredValue(database, 'settings').write({ appearance: 'dark', density: 'enormous', later: 1 });
    const store = new DatabaseSettingsStore(database);
    expect(store.get()).toEqual({ ...DEFAULT_SETTINGS, appearance: 'dark' });
    store.update({ maxConcurrentRuns: 5 });
    expect(new DatabaseSettingsStore(database).get().maxConcurrentRuns).toBe(5);
    expect(() => store.update({ maxConcurrentRuns: 500 })).toThrow(/too big|<=16/i);
    expect(store.get().maxConcurrentRuns).toBe(5);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
