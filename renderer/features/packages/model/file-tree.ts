export interface FileNode<T> {
  readonly name: string;
  /** Whole path; a folder's has no slash at its end. */
  readonly path: string;
  /** Undefined for a folder. */
  readonly file: T | undefined;
  readonly children: readonly FileNode<T>[];
}

export interface TreeRow<T> {
  readonly node: FileNode<T>;
  /** 1 for the outermost. */
  readonly level: number;
}

interface Folder<T> {
  readonly folders: Map<string, Folder<T>>;
  readonly files: Map<string, T>;
}

/** Paths as a tree: folders before files, each by name. */
export function fileTree<T extends { readonly path: string }>(files: readonly T[]): FileNode<T>[] {
  const root: Folder<T> = { folders: new Map(), files: new Map() };
  for (const file of files) {
    const steps = file.path.split('/');
    const name = steps.pop() ?? '';
    let folder = root;
    for (const step of steps) {
      const known = folder.folders.get(step) ?? { folders: new Map(), files: new Map() };
      folder.folders.set(step, known);
      folder = known;
    }
    folder.files.set(name, file);
  }
  return nodesOf(root, '');
}

/** The rows of a tree that are in sight: what is in a closed folder is not. */
export function visibleRows<T>(
  nodes: readonly FileNode<T>[],
  closed: ReadonlySet<string>,
  level = 1,
): TreeRow<T>[] {
  return nodes.flatMap((node) => [
    { node, level },
    ...(node.file === undefined && !closed.has(node.path)
      ? visibleRows(node.children, closed, level + 1)
      : []),
  ]);
}

function nodesOf<T>({ folders, files }: Folder<T>, prefix: string): FileNode<T>[] {
  const byName = ([a]: [string, unknown], [b]: [string, unknown]) => a.localeCompare(b, 'en');
  return [
    ...[...folders].sort(byName).map(([name, folder]): FileNode<T> => ({
      name,
      path: prefix + name,
      file: undefined,
      children: nodesOf(folder, `${prefix}${name}/`),
    })),
    ...[...files].sort(byName).map(([name, file]): FileNode<T> => ({
      name,
      path: prefix + name,
      file,
      children: [],
    })),
  ];
}
