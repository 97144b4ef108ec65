import type { Dependency, DependencyKind } from '#shared/manifest/dependencies.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { cleanVersion, isInRange } from '#shared/manifest/identity.ts';
import type { DependencyNode } from '#shared/ipc/library-routes.ts';

/** A draft or version that a range may lead to. */
export interface Candidate {
  readonly version: string;
  readonly isDraft: boolean;
  readonly isYanked: boolean;
  /** Read only when it is chosen. */
  dependencies(): readonly Dependency[];
}

export interface CandidateSource {
  /** Undefined when there is no package of that name; versions highest first. */
  find(name: string):
    | {
        readonly type: PackageType;
        readonly tags: Readonly<Record<string, string>>;
        readonly candidates: readonly Candidate[];
      }
    | undefined;
}

/** Deepest chain of dependencies that is followed. */
const MAX_DEPTH = 32;

/**
 * The candidate that a version, tag or range leads to: an exact version although it was withdrawn, then a
 * tag, then the highest in range (reference: afps, section 11).
 * @param prefersDraft takes the draft where it fits: what its author changed is meant to be tried
 */
export function choose<C extends Candidate>(
  candidates: readonly C[],
  tags: Readonly<Record<string, string>>,
  wanted: string,
  prefersDraft: boolean,
): C | undefined {
  const usable = candidates.filter(({ isDraft }) => prefersDraft || !isDraft);
  const draftFirst = usable.toSorted((a, b) => Number(b.isDraft) - Number(a.isDraft));
  const exact = cleanVersion(wanted);
  if (exact !== undefined) return draftFirst.find(({ version }) => version === exact);
  const tagged = Object.hasOwn(tags, wanted) ? tags[wanted] : undefined;
  const open = draftFirst.filter(({ isYanked }) => !isYanked);
  if (tagged !== undefined) return open.find(({ version, isDraft }) => !isDraft && version === tagged);
  return open.find(({ version }) => isInRange(version, wanted));
}

/**
 * The tree of what a package depends on, with what is missing or goes in circles in its place. A package
 * that stands in the tree already is named again, and its own dependencies are not.
 */
export function resolveDependencies(
  root: { readonly name: string; readonly dependencies: readonly Dependency[] },
  source: CandidateSource,
  prefersDraft: boolean,
): DependencyNode[] {
  const shown = new Set<string>();
  const nodesOf = (dependencies: readonly Dependency[], path: readonly string[]): DependencyNode[] =>
    dependencies.map((dependency) => nodeOf(dependency, path));

  function nodeOf({ kind, name, range }: Dependency, path: readonly string[]): DependencyNode {
    const node = { kind, name, range, available: [], dependencies: [] };
    if (path.includes(name)) {
      return { ...node, state: 'cycle', path: [...path.slice(path.indexOf(name)), name] };
    }
    const found = source.find(name);
    if (found === undefined) return { ...node, state: 'missing' };
    const available = found.candidates.slice(0, 20).map(({ version }) => version);
    if (found.type !== kind) return { ...node, state: 'wrong_type', available, type: found.type };
    const chosen = choose(found.candidates, found.tags, range, prefersDraft);
    if (chosen === undefined) return { ...node, state: 'unsatisfied', available };
    const { version, isDraft, isYanked } = chosen;
    const resolved = { ...node, state: 'resolved' as const, version, isDraft, isYanked };
    const identity = `${name}@${version}${isDraft ? ' draft' : ''}`;
    if (shown.has(identity) || path.length > MAX_DEPTH) return { ...resolved, isRepeated: true };
    shown.add(identity);
    return { ...resolved, dependencies: nodesOf(chosen.dependencies(), [...path, name]) };
  }

  return nodesOf(root.dependencies, [root.name]);
}

/** Every node of a tree, parents first, each with the names that lead to it. */
export function* nodesIn(
  nodes: readonly DependencyNode[],
  path: readonly string[] = [],
): Generator<{ node: DependencyNode; path: readonly string[] }> {
  for (const node of nodes) {
    yield { node, path };
    yield* nodesIn(node.dependencies, [...path, node.name]);
  }
}

/** What is wrong with a tree, one sentence for each place. */
export function faultsIn(
  nodes: readonly DependencyNode[],
): { state: DependencyNode['state']; detail: string }[] {
  const faults: { state: DependencyNode['state']; detail: string }[] = [];
  for (const { node, path } of nodesIn(nodes)) {
    const sentence = faultOf(node);
    if (sentence === undefined) continue;
    const by = path.length > 0 ? ` (needed by ${path.join(' → ')})` : '';
    faults.push({ state: node.state, detail: `${sentence}${by}.` });
  }
  return faults;
}

const KIND_NAMES: Readonly<Record<DependencyKind, string>> = {
  skill: 'skill',
  'mcp-server': 'MCP server',
  integration: 'integration',
};

function faultOf({ kind, name, range, state, available, path, type }: DependencyNode): string | undefined {
  switch (state) {
    case 'resolved':
      return undefined;
    case 'missing':
      return `The ${KIND_NAMES[kind]} ${name} is not in the library`;
    case 'unsatisfied':
      return `No version of the ${KIND_NAMES[kind]} ${name} fits "${range}"; there is ${available.join(', ') || 'none'}`;
    case 'wrong_type':
      return `${name} is needed as ${KIND_NAMES[kind]}, but it is of type "${type ?? ''}"`;
    case 'cycle':
      return `The dependencies go in a circle: ${path?.join(' → ') ?? name}`;
  }
}
