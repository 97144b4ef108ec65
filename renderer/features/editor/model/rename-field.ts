import { parseTree, type Node } from 'jsonc-parser';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { EXAMPLES_KEY } from '#shared/manifest/schemas/agent.ts';
import { API_KEY } from '#shared/manifest/schemas/integration.ts';
import type { WrapperName } from './field-list.ts';

/**
 * Renames a field wherever the manifest names it, at its place and without touching anything else: in the
 * schema, among the required, in the order, and in what stands beside the schema.
 */
export function renameField(text: string, wrapper: WrapperName, from: string, to: string): string {
  const maps = [
    [wrapper, 'schema', 'properties'],
    [wrapper, 'file_constraints'],
    [wrapper, 'ui_hints'],
    ...(wrapper === 'input'
      ? [
          ['_meta', EXAMPLES_KEY, 'files'],
          ['_meta', EXAMPLES_KEY, 'input'],
        ]
      : []),
  ];
  const lists = [
    [wrapper, 'schema', 'required'],
    [wrapper, 'property_order'],
  ];
  return renameIn(text, { maps, lists }, from, to);
}

/** Renames an authentication method, and wherever the integration's manifest names it. */
export function renameAuth(text: string, from: string, to: string): string {
  const value: unknown = JSON.parse(text);
  const tools = isRecord(value) ? membersOf(value['tools_policy']).map(([tool]) => tool) : [];
  const maps = [
    ['auths'],
    ['_meta', API_KEY, 'auths'],
    ...tools.map((tool) => ['tools_policy', tool, 'required_scopes']),
  ];
  const values = tools.map((tool) => ['tools_policy', tool, 'required_auth_key']);
  return renameIn(text, { maps, values }, from, to);
}

/** Renames a tool of an integration, and wherever its manifest chooses or hides it. */
export function renamePolicyTool(text: string, from: string, to: string): string {
  return renameIn(text, { maps: [['tools_policy']], lists: [['default_tools'], ['hidden_tools']] }, from, to);
}

/** Renames a member of a map, and the names of it in lists beside the map, such as those required. */
export function renameMember(
  text: string,
  map: readonly string[],
  from: string,
  to: string,
  lists: readonly (readonly string[])[] = [],
): string {
  return renameIn(text, { maps: [map], lists }, from, to);
}

interface NamedAt {
  /** Objects with the name as a key. */
  readonly maps: readonly (readonly string[])[];
  /** Lists with the name as an entry. */
  readonly lists?: readonly (readonly string[])[];
  /** Values that are the name. */
  readonly values?: readonly (readonly string[])[];
}

function renameIn(
  text: string,
  { maps, lists = [], values = [] }: NamedAt,
  from: string,
  to: string,
): string {
  const tree = parseTree(text);
  if (tree === undefined) return text;
  const nodes = [
    ...maps.map((path) => keyIn(nodeAt(tree, path), from)),
    ...lists.map((path) => nodeAt(tree, path)?.children?.find(({ value }) => value === from)),
    ...values.map((path) => nodeAt(tree, path)).filter((node) => node?.value === from),
  ].filter((node) => node !== undefined);
  // From the end, so that no replacement moves the next.
  return nodes
    .toSorted((a, b) => b.offset - a.offset)
    .reduce(
      (result, { offset, length }) =>
        result.slice(0, offset) + JSON.stringify(to) + result.slice(offset + length),
      text,
    );
}

/** The node at a path, whose steps into lists are indexes. */
function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => {
    if (node?.type === 'array') return node.children?.[Number(step)];
    return node?.children?.findLast((property) => property.children?.[0]?.value === step)?.children?.[1];
  }, tree);
}

function keyIn(map: Node | undefined, name: string): Node | undefined {
  if (map?.type !== 'object') return undefined;
  return map.children?.map((property) => property.children?.[0]).find((key) => key?.value === name);
}
