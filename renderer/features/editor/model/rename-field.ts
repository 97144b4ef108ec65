import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import type { WrapperName } from './field-list.ts';

/** Where the examples of an agent name its fields. */
const EXAMPLES = ['_meta', 'app.slipway/examples'];

/**
 * Renames a field wherever the manifest names it, at its place and without touching anything else: in the
 * schema, among the required, in the order, and in what stands beside the schema.
 */
export function renameField(text: string, wrapper: WrapperName, from: string, to: string): string {
  const tree = parseTree(text);
  if (tree === undefined) return text;
  const maps = [
    [wrapper, 'schema', 'properties'],
    [wrapper, 'file_constraints'],
    [wrapper, 'ui_hints'],
    ...(wrapper === 'input'
      ? [
          [...EXAMPLES, 'files'],
          [...EXAMPLES, 'input'],
        ]
      : []),
  ];
  const lists = [
    [wrapper, 'schema', 'required'],
    [wrapper, 'property_order'],
  ];
  const nodes = [
    ...maps.map((path) => keyIn(findNodeAtLocation(tree, path), from)),
    ...lists.map((path) => findNodeAtLocation(tree, path)?.children?.find(({ value }) => value === from)),
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

function keyIn(map: Node | undefined, name: string): Node | undefined {
  if (map?.type !== 'object') return undefined;
  return map.children?.map((property) => property.children?.[0]).find((key) => key?.value === name);
}
