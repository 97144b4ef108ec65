import type { Database, SqlValue } from '#main/store/index.ts';
import { noteSchema, pinSchema, type MemoryScope, type Note, type Pin } from '#shared/memory/memory.ts';

/** Characters of a word below which the index of triples of letters knows nothing of it. */
const SHORTEST_INDEXED = 3;
/** Different words of a query that count; the database takes no condition of any length. */
const MAX_WORDS = 64;

/** Notes and slots of agents in the database. */
export class MemoryRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Groups writes: all of them are kept, or none. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  insertNote(agentId: string, note: Note): void {
    this.#database.run(
      `INSERT INTO memory_note (id, agent_id, scope, content, created_at, changed_at, run_id)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      note.id,
      agentId,
      note.scope,
      note.content,
      note.createdAt,
      note.changedAt ?? null,
      note.runId ?? null,
    );
  }

  changeNote(agentId: string, id: string, content: string, changedAt: number): boolean {
    const { changes } = this.#database.run(
      'UPDATE memory_note SET content = ?, changed_at = ? WHERE agent_id = ? AND id = ?',
      content,
      changedAt,
      agentId,
      id,
    );
    return changes > 0;
  }

  note(agentId: string, id: string): Note | undefined {
    const row = this.#database.get('SELECT * FROM memory_note WHERE agent_id = ? AND id = ?', agentId, id);
    return row && toNote(row);
  }

  removeNote(agentId: string, id: string): boolean {
    return (
      this.#database.run('DELETE FROM memory_note WHERE agent_id = ? AND id = ?', agentId, id).changes > 0
    );
  }

  countNotes(agentId: string, scope?: MemoryScope): number {
    const row = this.#database.get(
      'SELECT count(*) AS count FROM memory_note WHERE agent_id = ? AND (? IS NULL OR scope = ?)',
      agentId,
      scope ?? null,
      scope ?? null,
    );
    return Number(row?.['count'] ?? 0);
  }

  /** Notes that have every word of a query somewhere in them (its first 64), the newest first; all for no words. */
  findNotes(agentId: string, query: string, limit: number): Note[] {
    // A NUL ends a query in the midst of a word.
    const words = [...new Set(query.split(/[\s\0]+/))].filter((word) => word !== '').slice(0, MAX_WORDS);
    const isIndexed = (word: string) => Array.from(word).length >= SHORTEST_INDEXED;
    const indexed = words.filter(isIndexed).map((word) => `"${word.replaceAll('"', '""')}"`);
    const short = words.filter((word) => !isIndexed(word));
    const conditions = ['agent_id = ?'];
    const parameters: SqlValue[] = [agentId];
    if (indexed.length > 0) {
      conditions.push('number IN (SELECT rowid FROM memory_note_text WHERE memory_note_text MATCH ?)');
      parameters.push(indexed.join(' AND '));
    }
    for (const word of short) {
      conditions.push(String.raw`content LIKE ? ESCAPE '\'`);
      parameters.push(`%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
    }
    return this.#database
      .all(
        `SELECT * FROM memory_note WHERE ${conditions.join(' AND ')} ORDER BY number DESC LIMIT ?`,
        ...parameters,
        limit,
      )
      .map(toNote);
  }

  setPin(agentId: string, pin: Pin): void {
    this.#database.run(
      `INSERT INTO memory_pin (agent_id, scope, key, content, changed_at, run_id) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (agent_id, scope, key) DO UPDATE SET content = excluded.content,
         changed_at = excluded.changed_at, run_id = excluded.run_id`,
      agentId,
      pin.scope,
      pin.key,
      JSON.stringify(pin.content),
      pin.changedAt,
      pin.runId ?? null,
    );
  }

  removePin(agentId: string, scope: MemoryScope, key: string): boolean {
    return (
      this.#database.run(
        'DELETE FROM memory_pin WHERE agent_id = ? AND scope = ? AND key = ?',
        agentId,
        scope,
        key,
      ).changes > 0
    );
  }

  /** By key, the author's own before what is shared. */
  pins(agentId: string): Pin[] {
    return this.#database
      .all('SELECT * FROM memory_pin WHERE agent_id = ? ORDER BY key, scope', agentId)
      .map(toPin);
  }

  clear(agentId: string): void {
    this.#database.run('DELETE FROM memory_note WHERE agent_id = ?', agentId);
    this.#database.run('DELETE FROM memory_pin WHERE agent_id = ?', agentId);
  }
}

function toNote(row: Record<string, SqlValue>): Note {
  return noteSchema.parse({
    id: row['id'],
    content: row['content'],
    scope: row['scope'],
    createdAt: row['created_at'],
    ...(row['changed_at'] !== null && { changedAt: row['changed_at'] }),
    ...(row['run_id'] !== null && { runId: row['run_id'] }),
  });
}

function toPin(row: Record<string, SqlValue>): Pin {
  return pinSchema.parse({
    key: row['key'],
    content: JSON.parse(String(row['content'])) as unknown,
    scope: row['scope'],
    changedAt: row['changed_at'],
    ...(row['run_id'] !== null && { runId: row['run_id'] }),
  });
}
