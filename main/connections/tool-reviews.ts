import { createHash } from 'node:crypto';
import type { Database, SqlValue } from '#main/store/index.ts';
import type { ToolChange } from '#shared/ipc/tool-review-routes.ts';
import type { ServerListing, WithheldTool } from '#shared/mcp/offered-tools.ts';
import { canonicalText, type ServerToolDefinition } from '#shared/mcp/server-tool.ts';
import { serverToolSchema, type RunServer } from '#shared/protocol/integrations.ts';

/** What the author has accepted of the tools of MCP servers. */
export interface ToolReviewService {
  /**
   * Holds what servers list against what was accepted, and remembers what is new. The first list of a server
   * is accepted as it comes, and so is a tool that was not there before when the agent names it. Everything
   * else that differs waits for the author.
   */
  review(
    integrationId: string,
    server: Pick<RunServer, 'source' | 'tools'>,
    listings: readonly ServerListing[],
  ): readonly WithheldTool[];
  /** What waits, in the order of the tools' names. */
  changes(integrationId: string): readonly ToolChange[];
  /** From now on models are told of these; what is no longer waiting is passed over. */
  accept(integrationId: string, fingerprints: readonly string[]): void;
  /** Forgets what is known of integrations that are not among these: they were removed. */
  keepOnly(integrationIds: readonly string[]): void;
  /** Tools as they were accepted last, each once; none of a server that was never asked. */
  accepted(integrationId: string): readonly ServerToolDefinition[];
}

interface Known {
  readonly server: string;
  readonly tool: string;
  readonly fingerprint: string;
  readonly definition: ServerToolDefinition;
  readonly seenAt: number;
  readonly acceptedAt: number | undefined;
}

/** Changes of one tool that wait at a time; a server that never says the same twice keeps but the last. */
const MAX_WAITING = 5;

/**
 * Pins tools by a hash of what their server says of them, in the database. A server is known by its address:
 * what it says to one account may differ from another, and each of it is accepted once.
 */
export class ToolReviews implements ToolReviewService {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number = Date.now) {
    this.#database = database;
    this.#now = now;
  }

  review(
    integrationId: string,
    { source, tools: chosen }: Pick<RunServer, 'source' | 'tools'>,
    listings: readonly ServerListing[],
  ): readonly WithheldTool[] {
    const server = addressOf(source);
    return this.#database.transaction(() => {
      const known = this.#known(integrationId).filter((tool) => tool.server === server);
      const accepted = known.filter(({ acceptedAt }) => acceptedAt !== undefined);
      const isFirst = accepted.length === 0;
      const acceptedPrints = new Set(accepted.map(({ fingerprint }) => fingerprint));
      const acceptedNames = new Set(accepted.map(({ tool }) => tool));
      const withheld: WithheldTool[] = [];
      for (const { connectionId, tools } of listings) {
        for (const tool of tools) {
          const fingerprint = fingerprintOf(tool);
          if (acceptedPrints.has(fingerprint)) continue;
          const isNamed = chosen !== '*' && chosen.includes(tool.name) && !acceptedNames.has(tool.name);
          const isAccepted = isFirst || isNamed;
          this.#save(integrationId, server, tool, fingerprint, isAccepted);
          if (!isAccepted) withheld.push({ connectionId, tool: tool.name });
        }
      }
      return withheld;
    });
  }

  changes(integrationId: string): readonly ToolChange[] {
    const known = this.#known(integrationId);
    return known.flatMap(({ acceptedAt, server, tool, fingerprint, definition, seenAt }): ToolChange[] => {
      if (acceptedAt !== undefined) return [];
      const before = known
        .filter((other) => other.server === server && other.tool === tool && other.acceptedAt !== undefined)
        .reduce<Known | undefined>(
          (last, other) => ((last?.acceptedAt ?? 0) > (other.acceptedAt ?? 0) ? last : other),
          undefined,
        );
      const change = { server, tool, fingerprint, after: { ...definition }, seenAt };
      return [{ ...change, ...(before && { before: { ...before.definition } }) }];
    });
  }

  accept(integrationId: string, fingerprints: readonly string[]): void {
    this.#database.transaction(() => {
      for (const fingerprint of fingerprints) {
        this.#database.run(
          `UPDATE server_tool SET accepted_at = ?
           WHERE integration_id = ? AND fingerprint = ? AND accepted_at IS NULL`,
          this.#now(),
          integrationId,
          fingerprint,
        );
      }
    });
  }

  accepted(integrationId: string): readonly ServerToolDefinition[] {
    const accepted = this.#known(integrationId)
      .filter(({ acceptedAt }) => acceptedAt !== undefined)
      .toSorted((a, b) => (a.acceptedAt ?? 0) - (b.acceptedAt ?? 0));
    return [...new Map(accepted.map(({ tool, definition }) => [tool, definition])).values()];
  }

  keepOnly(integrationIds: readonly string[]): void {
    const kept = new Set(integrationIds);
    this.#database.transaction(() => {
      for (const { id } of this.#database.all('SELECT DISTINCT integration_id AS id FROM server_tool')) {
        if (kept.has(String(id))) continue;
        this.#database.run('DELETE FROM server_tool WHERE integration_id = ?', String(id));
      }
    });
  }

  #known(integrationId: string): Known[] {
    return this.#database
      .all('SELECT * FROM server_tool WHERE integration_id = ? ORDER BY server, tool, seen_at', integrationId)
      .flatMap(readKnown);
  }

  #save(
    integrationId: string,
    server: string,
    tool: ServerToolDefinition,
    fingerprint: string,
    isAccepted: boolean,
  ): void {
    const now = this.#now();
    this.#database.run(
      `INSERT INTO server_tool (integration_id, server, tool, fingerprint, definition, seen_at, accepted_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET seen_at = excluded.seen_at, accepted_at = excluded.accepted_at`,
      integrationId,
      server,
      tool.name,
      fingerprint,
      JSON.stringify(tool),
      now,
      isAccepted ? now : null,
    );
    this.#database.run(
      `DELETE FROM server_tool
       WHERE integration_id = ?1 AND server = ?2 AND tool = ?3 AND accepted_at IS NULL AND fingerprint NOT IN (
         SELECT fingerprint FROM server_tool
         WHERE integration_id = ?1 AND server = ?2 AND tool = ?3 AND accepted_at IS NULL
         ORDER BY seen_at DESC LIMIT ?4
       )`,
      integrationId,
      server,
      tool.name,
      MAX_WAITING,
    );
  }
}

/** SHA-256 of all that a model or a person is told of a tool. */
function fingerprintOf(tool: ServerToolDefinition): string {
  return createHash('sha256').update(canonicalText(tool)).digest('hex');
}

function addressOf(source: RunServer['source']): string {
  return source.kind === 'remote' ? source.url : source.kind;
}

/** A row that an older or newer build wrote in another way counts as never seen. */
function readKnown(row: Record<string, SqlValue>): Known[] {
  let json: unknown;
  try {
    json = JSON.parse(String(row['definition']));
  } catch {
    return [];
  }
  const definition = serverToolSchema.safeParse(json);
  if (!definition.success) return [];
  const acceptedAt = row['accepted_at'];
  return [
    {
      server: String(row['server']),
      tool: String(row['tool']),
      fingerprint: String(row['fingerprint']),
      definition: definition.data,
      seenAt: Number(row['seen_at']),
      acceptedAt: acceptedAt === null || acceptedAt === undefined ? undefined : Number(acceptedAt),
    },
  ];
}
