import { ProblemError } from '#shared/problem.ts';
import type { Database } from './database.ts';

/** Schema changes in order; an entry that shipped is never edited. The count is SQLite's `user_version`. */
const migrations: readonly string[] = [
  `
  CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;

  CREATE TABLE run (
    id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    instance_id TEXT NOT NULL,
    summary TEXT NOT NULL,
    input TEXT NOT NULL,
    input_files TEXT NOT NULL,
    manifest_text TEXT NOT NULL,
    prompt_text TEXT NOT NULL,
    output_schema TEXT,
    output TEXT
  ) STRICT;
  CREATE INDEX run_by_time ON run (created_at DESC);
  CREATE INDEX run_by_agent ON run (agent_id, created_at DESC);
  CREATE INDEX run_by_status ON run (status);

  CREATE TABLE run_event (
    run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run_id, sequence)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE run_output_file (
    run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    media_type TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    PRIMARY KEY (run_id, path)
  ) STRICT, WITHOUT ROWID;
  `,
];

/**
 * Brings a database to this build's schema, each step in a transaction.
 * @throws ProblemError `database_too_new` for one that a later build has written
 */
export function migrate(database: Database, steps: readonly string[] = migrations): void {
  const version = Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
  if (version > steps.length) {
    throw new ProblemError({
      code: 'database_too_new',
      title: 'Your data is from a newer Slipway',
      detail: `The database has schema ${version}; this build knows ${steps.length}. Nothing was changed.`,
      action: 'Update Slipway, or start it with another data folder.',
    });
  }
  steps.slice(version).forEach((step, index) => {
    database.transaction(() => {
      database.execute(step);
      database.execute(`PRAGMA user_version = ${version + index + 1}`);
    });
  });
}
