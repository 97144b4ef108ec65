import { z } from 'zod';
import type { Database, SqlValue } from '#main/store/index.ts';
import { typedFileSchema, type TypedTexts } from '#shared/ipc/typed-text-routes.ts';

/** Keeps what is typed into drafts until it is in them, for an app that is killed between two letters. */
export interface TypedTextService {
  /** In the place of what the same writer has kept of the package. */
  keep(name: string, texts: Omit<TypedTexts, 'keptAt'>): void;
  /** The newest first. */
  list(name: string): TypedTexts[];
  forget(name: string, writer: string): void;
  /** For a package that is no more. */
  forgetAll(name: string): void;
}

/** Milliseconds after which nobody asks any more for what was typed. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

const filesSchema = z.array(typedFileSchema);

/** Texts in the database. */
export class DatabaseTypedTexts implements TypedTextService {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
    database.run('DELETE FROM typed_text WHERE kept_at < ?', now() - KEPT_MS);
  }

  keep(name: string, { writer, basedOn, files }: Omit<TypedTexts, 'keptAt'>): void {
    this.#database.run(
      `INSERT INTO typed_text (package_name, writer, based_on, files, kept_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET based_on = excluded.based_on, files = excluded.files, kept_at = excluded.kept_at`,
      name,
      writer,
      basedOn,
      JSON.stringify(files),
      this.#now(),
    );
  }

  list(name: string): TypedTexts[] {
    return this.#database
      .all('SELECT * FROM typed_text WHERE package_name = ? ORDER BY kept_at DESC', name)
      .flatMap(readTexts);
  }

  forget(name: string, writer: string): void {
    this.#database.run('DELETE FROM typed_text WHERE package_name = ? AND writer = ?', name, writer);
  }

  forgetAll(name: string): void {
    this.#database.run('DELETE FROM typed_text WHERE package_name = ?', name);
  }
}

/** A row that an older or newer build wrote in another way counts as none. */
function readTexts(row: Record<string, SqlValue>): TypedTexts[] {
  const { writer, based_on: basedOn, kept_at: keptAt } = row;
  const files = filesSchema.safeParse(JSON.parse(String(row['files'])));
  if (!files.success) return [];
  return [{ writer: String(writer), basedOn: Number(basedOn), keptAt: Number(keptAt), files: files.data }];
}
