/** Longest namespace before a suffix is added. */
export const NAMESPACE_LENGTH = 20;
/** Longest name of a tool with its namespace, as model providers take it with room to spare. */
export const TOOL_NAME_LENGTH = 56;
/** Between a namespace and the tool. */
export const NAMESPACE_SEPARATOR = '__';
/** Integrations that may share a namespace; the last is `…_999`. */
const MAX_SHARING = 999;

/** A set of names that cannot be told apart, or an id that gives no name at all. */
export class NamingError extends Error {}

/**
 * The namespace of an integration's tools before collisions are settled: its id without one leading `@`,
 * each run of other characters as `_`, in lower case, cut to 20 (reference: sidecar, section 3.1).
 * @throws NamingError for an id without a letter or digit.
 */
export function baseNamespaceOf(integrationId: string): string {
  const words = trimmed(integrationId.replace(/^@/, '').replaceAll(/[^a-zA-Z0-9]+/g, '_')).toLowerCase();
  if (words === '') throw new NamingError(`"${integrationId}" has no letter or digit to name its tools by.`);
  return words.slice(0, NAMESPACE_LENGTH);
}

/**
 * The namespaces of a run's integrations. Of those that would share one, the second gets `_2`, the third
 * `_3` and so on in the order given, which should be the manifest's, so that names stay from run to run.
 * @throws NamingError
 */
export function assignNamespaces(integrationIds: readonly string[]): Map<string, string> {
  const taken = new Set<string>();
  const namespaces = new Map<string, string>();
  for (const id of integrationIds) {
    if (namespaces.has(id)) continue;
    const namespace = unused(baseNamespaceOf(id), taken);
    taken.add(namespace);
    namespaces.set(id, namespace);
  }
  return namespaces;
}

/** The name a model is offered. */
export function qualifiedToolName(namespace: string, tool: string): string {
  return `${namespace}${NAMESPACE_SEPARATOR}${tool}`;
}

/**
 * A server's own name for a tool, in the characters that every provider takes: undefined when nothing
 * usable is left (reference: sidecar, section 3.2). A server that puts a namespace of its own before `__`
 * loses it.
 */
export function toolBodyOf(serverName: string): string | undefined {
  const words = trimmed(serverName.replaceAll(/[^a-zA-Z0-9_]+/g, '_')).toLowerCase();
  const separator = words.indexOf(NAMESPACE_SEPARATOR);
  const rest = separator === -1 ? '' : trimmed(words.slice(separator + NAMESPACE_SEPARATOR.length));
  const body = rest === '' ? words : rest;
  return /^[a-z]/.test(body) ? body : undefined;
}

/** A tool of a server under the name that a model is offered. */
export interface NamedTool {
  /** What the server calls it. */
  readonly serverName: string;
  readonly name: string;
}

/**
 * Names the tools of one namespace, each once and within the length. Names of `trusted` tools, which the
 * platform makes itself, are kept whole: a server's tool of the same name yields to them.
 * @throws NamingError when two trusted tools have one name.
 */
export function nameServerTools(
  namespace: string,
  serverNames: readonly string[],
  trusted: readonly string[] = [],
): NamedTool[] {
  const taken = new Set(trusted);
  if (taken.size < trusted.length) {
    throw new NamingError(`Two tools of ${namespace} have the same name: ${trusted.join(', ')}.`);
  }
  const longest = TOOL_NAME_LENGTH - namespace.length - NAMESPACE_SEPARATOR.length;
  const named: NamedTool[] = [];
  for (const [index, serverName] of serverNames.entries()) {
    const body = (toolBodyOf(serverName) ?? `tool_${index + 1}`).slice(0, longest);
    if (trusted.includes(body)) continue;
    const name = unused(body, taken, longest);
    taken.add(name);
    named.push({ serverName, name: qualifiedToolName(namespace, name) });
  }
  return named;
}

/** The wish, or with the first free suffix from `_2` on; within `longest` the wish is cut to make room. */
function unused(wish: string, taken: ReadonlySet<string>, longest = Number.MAX_SAFE_INTEGER): string {
  if (!taken.has(wish)) return wish;
  for (let count = 2; count <= MAX_SHARING; count += 1) {
    const suffix = `_${count}`;
    const name = `${wish.slice(0, longest - suffix.length)}${suffix}`;
    if (!taken.has(name)) return name;
  }
  throw new NamingError(`More than ${MAX_SHARING} would be called "${wish}".`);
}

function trimmed(words: string): string {
  return words.replace(/^_+/, '').replace(/_+$/, '');
}
