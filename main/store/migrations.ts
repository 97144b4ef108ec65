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
  `
  CREATE TABLE package (
    name TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    forked_from TEXT
  ) STRICT;

  -- A draft has no version of its own; its row is replaced by every save.
  CREATE TABLE package_snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL REFERENCES package (name) ON DELETE CASCADE,
    version TEXT,
    integrity TEXT NOT NULL,
    summary TEXT NOT NULL,
    origin TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    yanked_at INTEGER,
    yank_reason TEXT
  ) STRICT;
  CREATE UNIQUE INDEX package_version ON package_snapshot (name, version) WHERE version IS NOT NULL;
  CREATE UNIQUE INDEX package_draft ON package_snapshot (name) WHERE version IS NULL;

  CREATE TABLE package_tag (
    name TEXT NOT NULL REFERENCES package (name) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (name, tag)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE package_file (
    snapshot_id INTEGER NOT NULL REFERENCES package_snapshot (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    PRIMARY KEY (snapshot_id, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX package_file_by_digest ON package_file (digest);

  CREATE TABLE package_dependency (
    snapshot_id INTEGER NOT NULL REFERENCES package_snapshot (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    range TEXT NOT NULL,
    PRIMARY KEY (snapshot_id, kind, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX package_dependency_by_name ON package_dependency (name);

  CREATE TABLE package_blob (
    digest TEXT PRIMARY KEY,
    bytes BLOB NOT NULL,
    kept_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE watched_folder (
    path TEXT PRIMARY KEY,
    name TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE connection (
    id TEXT PRIMARY KEY,
    integration_id TEXT NOT NULL,
    label TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (integration_id, label)
  ) STRICT;

  CREATE TABLE connection_choice (
    agent_id TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    connection_ids TEXT NOT NULL,
    PRIMARY KEY (agent_id, integration_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE oauth_client (
    integration_id TEXT NOT NULL,
    auth_key TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (integration_id, auth_key)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The audit: requests of runs to services, without queries, bodies or secrets.
  CREATE TABLE outbound_call (
    run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    tool TEXT NOT NULL,
    integration_id TEXT NOT NULL,
    connection_id TEXT NOT NULL,
    connection_label TEXT NOT NULL,
    method TEXT NOT NULL,
    url TEXT NOT NULL,
    status INTEGER NOT NULL,
    code TEXT,
    rule TEXT,
    bytes_sent INTEGER NOT NULL,
    bytes_received INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    PRIMARY KEY (run_id, sequence)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Tools of MCP servers as they described themselves; those not accepted are kept from models.
  CREATE TABLE server_tool (
    integration_id TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    definition TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    accepted_at INTEGER,
    PRIMARY KEY (integration_id, server, tool, fingerprint)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What agents remember: notes that runs search, and slots that are in each run's prompt.
  CREATE TABLE memory_note (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    changed_at INTEGER,
    run_id TEXT
  ) STRICT;
  CREATE INDEX memory_note_by_agent ON memory_note (agent_id, scope);
  CREATE VIRTUAL TABLE memory_note_text USING fts5 (
    content, content = 'memory_note', content_rowid = 'number', tokenize = 'trigram'
  );
  CREATE TRIGGER memory_note_inserted AFTER INSERT ON memory_note BEGIN
    INSERT INTO memory_note_text (rowid, content) VALUES (new.number, new.content);
  END;
  CREATE TRIGGER memory_note_removed AFTER DELETE ON memory_note BEGIN
    INSERT INTO memory_note_text (memory_note_text, rowid, content) VALUES ('delete', old.number, old.content);
  END;
  CREATE TRIGGER memory_note_changed AFTER UPDATE OF content ON memory_note BEGIN
    INSERT INTO memory_note_text (memory_note_text, rowid, content) VALUES ('delete', old.number, old.content);
    INSERT INTO memory_note_text (rowid, content) VALUES (new.number, new.content);
  END;
  CREATE TABLE memory_pin (
    agent_id TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    run_id TEXT,
    PRIMARY KEY (agent_id, scope, key)
  ) STRICT, WITHOUT ROWID;
  -- What a run left in its slot "checkpoint".
  ALTER TABLE run ADD COLUMN checkpoint TEXT;
  `,
  `
  -- What was typed into drafts and is not in them.
  CREATE TABLE typed_text (
    package_name TEXT NOT NULL,
    writer TEXT NOT NULL,
    based_on INTEGER NOT NULL,
    files TEXT NOT NULL,
    kept_at INTEGER NOT NULL,
    PRIMARY KEY (package_name, writer)
  ) STRICT, WITHOUT ROWID;
  `,
];

/**
 * Brings a database to this build's schema, each step in a transaction.
 * @throws ProblemError `database_too_new` for one that a later build has written
 */
export function migrate(database: Database, steps: readonly string[] = migrations): void {
  const version = versionOf(database);
  if (version > steps.length) {
    throw new ProblemError({
      code: 'database_too_new',
      title: 'Your data is from a newer Slipway',
      detail: `The database has schema ${version}; this build knows ${steps.length}. Nothing was changed.`,
      action: 'Update Slipway, or start it with another data folder.',
    });
  }
  for (const [index, step] of steps.entries()) {
    if (index < version) continue;
    database.transaction(() => {
      // Another process that began at the same moment may have taken the step meanwhile.
      if (versionOf(database) > index) return;
      database.execute(step);
      database.execute(`PRAGMA user_version = ${index + 1}`);
    });
  }
}

function versionOf(database: Database): number {
  return Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
}
