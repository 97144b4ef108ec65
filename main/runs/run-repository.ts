import { z } from 'zod';
import type { Database, SqlValue } from '#main/store/index.ts';
import { runEventDataSchema, type RunEvent } from '#shared/events/run-event.ts';
import { ProblemError } from '#shared/problem.ts';
import {
  isFinalStatus,
  runInputFileSchema,
  runStatusSchema,
  runSummarySchema,
  type RunDetail,
  type RunInputFile,
  type RunOutputFile,
  type RunPosition,
  type RunSummary,
} from '#shared/runs/run.ts';
import { CallRepository } from './call-repository.ts';

/** What is fixed about a run when it is made. */
export interface NewRun {
  readonly summary: RunSummary;
  readonly input: Record<string, unknown>;
  readonly inputFiles: readonly RunInputFile[];
  readonly manifestText: string;
  readonly promptText: string;
  readonly outputSchema: Record<string, unknown> | undefined;
  readonly instanceId: string;
}

/** A run and the instance that began it. */
export interface OwnedRun {
  readonly summary: RunSummary;
  readonly instanceId: string;
}

const unfinishedStatuses = runStatusSchema.options.filter((status) => !isFinalStatus(status));
const objectSchema = z.record(z.string(), z.unknown());

/** Runs, their events and their output files in the database. */
export class RunRepository {
  readonly #database: Database;
  /** The audit of runs' requests. */
  readonly calls: CallRepository;

  constructor(database: Database) {
    this.#database = database;
    this.calls = new CallRepository(database);
  }

  /** Groups writes: all of them are kept, or none. */
  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  insert(run: NewRun): void {
    this.#database.run(
      `INSERT INTO run (id, agent_id, created_at, status, instance_id, summary, input, input_files, manifest_text, prompt_text, output_schema)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run.summary.id,
      run.summary.agentId,
      run.summary.createdAt,
      run.summary.status,
      run.instanceId,
      JSON.stringify(run.summary),
      JSON.stringify(run.input),
      JSON.stringify(run.inputFiles),
      run.manifestText,
      run.promptText,
      run.outputSchema ? JSON.stringify(run.outputSchema) : null,
    );
  }

  saveSummary(summary: RunSummary): void {
    this.#database.run(
      'UPDATE run SET status = ?, summary = ? WHERE id = ?',
      summary.status,
      JSON.stringify(summary),
      summary.id,
    );
  }

  saveOutput(runId: string, output: unknown): void {
    this.#database.run('UPDATE run SET output = ? WHERE id = ?', JSON.stringify(output), runId);
  }

  saveCheckpoint(runId: string, content: unknown): void {
    this.#database.run('UPDATE run SET checkpoint = ? WHERE id = ?', JSON.stringify(content), runId);
  }

  appendEvent(runId: string, event: RunEvent): void {
    this.#database.run(
      'INSERT INTO run_event (run_id, sequence, at, data) VALUES (?, ?, ?, ?)',
      runId,
      event.sequence,
      event.at,
      JSON.stringify(event.data),
    );
  }

  /** Events after a sequence number, oldest first. */
  events(runId: string, after: number, limit: number): RunEvent[] {
    return this.#database
      .all(
        'SELECT sequence, at, data FROM run_event WHERE run_id = ? AND sequence > ? ORDER BY sequence LIMIT ?',
        runId,
        after,
        limit,
      )
      .map((row) => ({
        sequence: Number(row['sequence']),
        at: Number(row['at']),
        data: runEventDataSchema.parse(JSON.parse(String(row['data']))),
      }));
  }

  /** Sequence number of the newest event on disk. */
  lastSequence(runId: string): number {
    return Number(
      this.#database.get('SELECT max(sequence) AS last FROM run_event WHERE run_id = ?', runId)?.['last'] ??
        0,
    );
  }

  saveOutputFile(runId: string, file: RunOutputFile): void {
    this.#database.run(
      `INSERT INTO run_output_file (run_id, path, size, media_type, modified_at, kept) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (run_id, path) DO UPDATE SET size = excluded.size, media_type = excluded.media_type,
         modified_at = excluded.modified_at, kept = excluded.kept`,
      runId,
      file.path,
      file.size,
      file.mediaType,
      file.modifiedAt,
      file.kept ? 1 : 0,
    );
  }

  removeOutputFile(runId: string, path: string): void {
    this.#database.run('DELETE FROM run_output_file WHERE run_id = ? AND path = ?', runId, path);
  }

  outputFiles(runId: string): RunOutputFile[] {
    return this.#database
      .all('SELECT * FROM run_output_file WHERE run_id = ? ORDER BY path', runId)
      .map((row) => ({
        path: String(row['path']),
        size: Number(row['size']),
        mediaType: String(row['media_type']),
        modifiedAt: Number(row['modified_at']),
        kept: row['kept'] === 1,
      }));
  }

  find(runId: string): RunSummary | undefined {
    const row = this.#database.get('SELECT summary FROM run WHERE id = ?', runId);
    return row && runSummarySchema.parse(JSON.parse(String(row['summary'])));
  }

  /** @throws ProblemError `run_unknown` */
  summary(runId: string): RunSummary {
    const summary = this.find(runId);
    if (!summary) throw unknownRun(runId);
    return summary;
  }

  /** @throws ProblemError `run_unknown` */
  detail(runId: string): RunDetail {
    const row = this.#row('SELECT * FROM run WHERE id = ?', runId);
    return {
      summary: runSummarySchema.parse(JSON.parse(String(row['summary']))),
      input: objectSchema.parse(JSON.parse(String(row['input']))),
      inputFiles: z.array(runInputFileSchema).parse(JSON.parse(String(row['input_files']))),
      manifestText: String(row['manifest_text']),
      promptText: String(row['prompt_text']),
      outputFiles: this.outputFiles(runId),
      ...(row['output_schema'] !== null && {
        outputSchema: objectSchema.parse(JSON.parse(String(row['output_schema']))),
      }),
      ...(row['output'] !== null && { output: JSON.parse(String(row['output'])) as unknown }),
    };
  }

  /** Newest first. */
  list(filter: { agentId?: string | undefined; limit: number; before?: RunPosition | undefined }): {
    runs: RunSummary[];
    hasMore: boolean;
  } {
    const conditions: string[] = [];
    const parameters: SqlValue[] = [];
    if (filter.agentId !== undefined) {
      conditions.push('agent_id = ?');
      parameters.push(filter.agentId);
    }
    if (filter.before !== undefined) {
      conditions.push('(created_at, id) < (?, ?)');
      parameters.push(filter.before.createdAt, filter.before.id);
    }
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = this.#database.all(
      `SELECT summary FROM run ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...parameters,
      filter.limit + 1,
    );
    const runs = rows
      .slice(0, filter.limit)
      .map((row) => runSummarySchema.parse(JSON.parse(String(row['summary']))));
    return { runs, hasMore: rows.length > filter.limit };
  }

  /** Runs that have not ended, with the instance that began them. */
  unfinished(): OwnedRun[] {
    const places = unfinishedStatuses.map(() => '?').join(', ');
    return this.#database
      .all(`SELECT summary, instance_id FROM run WHERE status IN (${places})`, ...unfinishedStatuses)
      .map(toOwnedRun);
  }

  /** Runs that other instances began: those that have not ended, and those made after a moment. */
  ofOthers(instanceId: string, createdAfter: number): OwnedRun[] {
    const places = unfinishedStatuses.map(() => '?').join(', ');
    return this.#database
      .all(
        `SELECT summary, instance_id FROM run WHERE instance_id <> ? AND (created_at > ? OR status IN (${places}))`,
        instanceId,
        createdAfter,
        ...unfinishedStatuses,
      )
      .map(toOwnedRun);
  }

  /** Earlier successful runs of an agent, newest first, as `run_history` tells of them. */
  successes(
    agentId: string,
    exceptRunId: string,
    limit: number,
  ): { summary: RunSummary; output: unknown; checkpoint: unknown }[] {
    return this.#database
      .all(
        `SELECT summary, output, checkpoint FROM run WHERE agent_id = ? AND id <> ? AND status = 'success'
         ORDER BY created_at DESC LIMIT ?`,
        agentId,
        exceptRunId,
        limit,
      )
      .map((row) => ({
        summary: runSummarySchema.parse(JSON.parse(String(row['summary']))),
        output: parsed(row['output']),
        checkpoint: parsed(row['checkpoint']),
      }));
  }

  /** @throws ProblemError `run_unknown` */
  remove(runId: string): void {
    if (this.#database.run('DELETE FROM run WHERE id = ?', runId).changes === 0) throw unknownRun(runId);
  }

  #row(sql: string, runId: string): Record<string, SqlValue> {
    const row = this.#database.get(sql, runId);
    if (!row) throw unknownRun(runId);
    return row;
  }
}

function parsed(text: SqlValue | undefined): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

function toOwnedRun(row: Record<string, SqlValue>): OwnedRun {
  return {
    summary: runSummarySchema.parse(JSON.parse(String(row['summary']))),
    instanceId: String(row['instance_id']),
  };
}

function unknownRun(runId: string): ProblemError {
  return new ProblemError({
    code: 'run_unknown',
    title: 'There is no such run',
    detail: `No run has the id "${runId}". It may have been removed.`,
  });
}
