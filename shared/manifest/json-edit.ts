import { parseTree, type Node } from 'jsonc-parser';
import type { Fix } from './finding.ts';
import { stepsOf } from './json-pointer.ts';

/**
 * Changes a JSON text at the given pointers and nowhere else: what the author wrote, its order, its layout
 * and its unknown members stay. A last step `-` appends to a list; to remove what is not there changes
 * nothing. Edits apply in order, each on the result so far.
 * @throws Error where the text is no JSON, or a step leads into a value that holds none
 */
export function editJson(text: string, edits: Fix['edits']): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  let result = text.slice(mark.length);
  for (const { pointer, value, remove } of edits) {
    const tree = parseTree(result);
    if (tree === undefined) throw new Error('There is no JSON to edit.');
    const steps = stepsOf(pointer);
    const isRemoval = remove === true || value === undefined;
    const change = isRemoval ? removalOf(tree, steps) : settingOf(result, tree, steps, value);
    if (change === undefined) continue;
    result = result.slice(0, change.start) + change.text + result.slice(change.end);
  }
  return mark + result;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function removalOf(tree: Node, steps: readonly string[]): Change | undefined {
  const node = steps.reduce<Node | undefined>((parent, step) => parent && childOf(parent, step), tree);
  // A member goes with its name.
  const item = node?.parent?.type === 'property' ? node.parent : node;
  const container = item?.parent;
  if (item === undefined || container?.children === undefined) return undefined;
  const index = container.children.indexOf(item);
  const previous = container.children[index - 1];
  const next = container.children[index + 1];
  if (next !== undefined) return { start: item.offset, end: next.offset, text: '' };
  if (previous !== undefined) return { start: endOf(previous), end: endOf(item), text: '' };
  return { start: container.offset + 1, end: endOf(container) - 1, text: '' };
}

function settingOf(text: string, tree: Node, steps: readonly string[], value: unknown): Change {
  let parent = tree;
  for (const [index, step] of steps.entries()) {
    const child = childOf(parent, step);
    if (child === undefined) return insertionOf(text, parent, step, nested(steps.slice(index + 1), value));
    parent = child;
  }
  const layout = layoutOf(text);
  return {
    start: parent.offset,
    end: endOf(parent),
    text: print(value, layout, indentationAt(text, parent.offset)),
  };
}

/** The value with the containers around it that are not there yet. */
function nested(steps: readonly string[], value: unknown): unknown {
  return steps.reduceRight<unknown>(
    (inner, step) => (step === '-' ? [inner] : Object.fromEntries([[step, inner]])),
    value,
  );
}

function insertionOf(text: string, container: Node, step: string, value: unknown): Change {
  const { type, children = [] } = container;
  if (type !== 'object' && type !== 'array') throw new Error(`Nothing can be put into a ${type}.`);
  const layout = layoutOf(text);
  const name = type === 'object' ? `${JSON.stringify(step)}:${layout === undefined ? '' : ' '}` : '';
  const last = children.at(-1);
  const inside = text.slice(container.offset, endOf(container));
  const base = indentationAt(text, container.offset);

  if (layout === undefined || (last !== undefined && !/[\r\n]/.test(inside))) {
    // A container of one line stays one.
    const start = last === undefined ? container.offset + 1 : endOf(last);
    const comma = last === undefined ? '' : layout === undefined ? ',' : ', ';
    return { start, end: start, text: `${comma}${name}${print(value, undefined, '')}` };
  }
  if (last === undefined) {
    const start = container.offset + 1;
    const end = endOf(container) - 1;
    if (type === 'array' && !isContainer(value)) return { start, end, text: JSON.stringify(value) };
    const indentation = base + layout.indent;
    const item = name + print(value, layout, indentation);
    return { start, end, text: `${layout.eol}${indentation}${item}${layout.eol}${base}` };
  }
  const indentation = indentationAt(text, last.offset);
  const start = endOf(last);
  const item = name + print(value, layout, indentation);
  return { start, end: start, text: `,${layout.eol}${indentation}${item}` };
}

/** How the author lays out what does not stand on one line. */
interface Layout {
  readonly indent: string;
  readonly eol: string;
}

/** The author's own indentation and line ends; none when all stands on one line. */
function layoutOf(text: string): Layout | undefined {
  if (!text.trimEnd().includes('\n')) return undefined;
  return { indent: /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Characters of a list of plain values that still stands on one line. */
const SHORT_LIST = 80;

function print(value: unknown, layout: Layout | undefined, base: string): string {
  if (!isContainer(value)) return JSON.stringify(value);
  // By way of JSON, so that what it leaves out or turns into something else is so here too.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return layout === undefined ? JSON.stringify(plain) : printLaidOut(plain, layout, base);
}

function printLaidOut(value: unknown, layout: Layout, base: string): string {
  if (!isContainer(value)) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const inner = base + layout.indent;
  const items = Array.isArray(value)
    ? value.map((item: unknown) => printLaidOut(item, layout, inner))
    : Object.entries(value).map(
        ([key, item]) => `${JSON.stringify(key)}: ${printLaidOut(item, layout, inner)}`,
      );
  if (items.length === 0) return `${open}${close}`;
  if (Array.isArray(value) && !value.some(isContainer)) {
    const line = `[${items.join(', ')}]`;
    if (line.length <= SHORT_LIST) return line;
  }
  return `${open}${layout.eol}${items.map((item) => inner + item).join(`,${layout.eol}`)}${layout.eol}${base}${close}`;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Reads a step as an index where the document has a list there, so that "0" may also be a name. */
function childOf(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^(0|[1-9]\d*)$/.test(step) ? node.children?.[Number(step)] : undefined;
  if (node.type !== 'object') return undefined;
  // The last of a name wins, as for those who read the text.
  return node.children?.findLast((property) => property.children?.[0]?.value === step)?.children?.[1];
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** White space the line of a place begins with. */
function indentationAt(text: string, offset: number): string {
  const lineStart = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? '';
}
