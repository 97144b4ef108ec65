import type { RunServer } from '../protocol/integrations.ts';
import { nameServerTools } from '../tools/tool-names.ts';
import type { ServerToolDefinition } from './server-tool.ts';

/** What the server of one connection lists. */
export interface ServerListing {
  readonly connectionId: string;
  readonly tools: readonly ServerToolDefinition[];
}

/** A tool of one connection that may not be called before the author has accepted it. */
export interface WithheldTool {
  readonly connectionId: string;
  readonly tool: string;
}

/** A tool under the name that a model is offered. */
export interface OfferedTool {
  readonly name: string;
  /** As its first connection describes it. */
  readonly definition: ServerToolDefinition;
  /** Connections whose server has it, in their order. */
  readonly connectionIds: readonly string[];
}

export interface OfferedTools {
  readonly offered: readonly OfferedTool[];
  /** Chosen by name, and had by no server. */
  readonly missing: readonly string[];
  /** Chosen and had, and yet not offered. */
  readonly withheld: readonly string[];
}

/**
 * The tools of an integration's servers that an agent has (reference: sidecar, section 6.9): those it chose
 * and a server has, without what is hidden or withheld. Names are given to all that the servers list, so that
 * no choice changes them.
 * @param trusted tools without the namespace that the platform makes, which keep their names
 * @throws NamingError
 */
export function offerTools({
  namespace,
  server,
  listings,
  withheld,
  trusted,
}: {
  readonly namespace: string;
  readonly server: Pick<RunServer, 'tools' | 'hidden'>;
  readonly listings: readonly ServerListing[];
  readonly withheld: readonly WithheldTool[];
  readonly trusted: readonly string[];
}): OfferedTools {
  const known = new Set(listings.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const hidden = new Set(server.hidden);
  const isChosen = (name: string) =>
    !hidden.has(name) && (server.tools === '*' || server.tools.includes(name));
  const offered: OfferedTool[] = [];
  const held = new Set<string>();
  for (const { serverName, name } of nameServerTools(namespace, [...known], trusted)) {
    if (!isChosen(serverName)) continue;
    const having = listings.flatMap(({ connectionId, tools }) => {
      const definition = tools.find((tool) => tool.name === serverName);
      if (definition === undefined) return [];
      const isHeld = withheld.some((tool) => tool.tool === serverName && tool.connectionId === connectionId);
      if (isHeld) held.add(serverName);
      return isHeld ? [] : [{ connectionId, definition }];
    });
    const [first] = having;
    if (first === undefined) continue;
    const connectionIds = having.map(({ connectionId }) => connectionId);
    offered.push({ name, definition: first.definition, connectionIds });
  }
  const missing =
    server.tools === '*' ? [] : server.tools.filter((name) => !known.has(name) && !hidden.has(name));
  return { offered, missing, withheld: [...held] };
}
