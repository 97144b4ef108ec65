import { ChevronDown, ChevronRight, File, Folder } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { formatBytes } from '#renderer/format/format.ts';
import { fileTree, visibleRows, type TreeRow } from '../model/file-tree.ts';

export interface TreeFile {
  readonly path: string;
  readonly size?: number;
  /** A word behind the name, such as "changed". */
  readonly mark?: string;
}

/** Files in their folders. Arrows move and open, Home and End jump, Enter shows. */
export function FileTreeView({
  label,
  files,
  current,
  onShow,
}: {
  label: string;
  files: readonly TreeFile[];
  current: string | undefined;
  onShow: (path: string) => void;
}) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => visibleRows(fileTree(files), closed), [files, closed]);
  const entry = rows.find(({ node }) => node.path === (focused ?? current)) ?? rows[0];

  const focus = (row: TreeRow<TreeFile> | undefined) => {
    if (!row) return;
    setFocused(row.node.path);
    list.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(row.node.path)}"]`)?.focus();
  };
  const toggle = (path: string, isOpen: boolean) =>
    setClosed((known) => {
      const next = new Set(known);
      if (isOpen) next.delete(path);
      else next.add(path);
      return next;
    });
  const choose = ({ node }: TreeRow<TreeFile>) => {
    if (node.file) onShow(node.path);
    else toggle(node.path, closed.has(node.path));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const index = rows.findIndex(({ node }) => node.path === entry?.node.path);
    const row = rows[index];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const isFolder = row.node.file === undefined;
    const isOpen = isFolder && !closed.has(row.node.path);
    switch (event.key) {
      case 'ArrowDown':
        focus(rows[index + 1]);
        break;
      case 'ArrowUp':
        focus(rows[index - 1]);
        break;
      case 'Home':
        focus(rows[0]);
        break;
      case 'End':
        focus(rows.at(-1));
        break;
      case 'ArrowRight':
        if (isFolder && !isOpen) toggle(row.node.path, true);
        else if (isOpen) focus(rows[index + 1]);
        break;
      case 'ArrowLeft':
        if (isOpen) toggle(row.node.path, false);
        else focus(rows.slice(0, index).findLast(({ level }) => level < row.level));
        break;
      case 'Enter':
      case ' ':
        choose(row);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <div ref={list} role="tree" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown} className="py-1">
      {rows.map((row) => {
        const { node, level } = row;
        const isFolder = node.file === undefined;
        return (
          // The tree itself takes the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={node.path}
            role="treeitem"
            data-path={node.path}
            aria-level={level}
            aria-selected={node.path === current}
            aria-expanded={isFolder ? !closed.has(node.path) : undefined}
            tabIndex={row.node.path === entry?.node.path ? 0 : -1}
            onClick={() => {
              setFocused(node.path);
              choose(row);
            }}
            onFocus={() => setFocused(node.path)}
            style={{ paddingLeft: `${level * 14 - 8}px` }}
            className={classes(
              'flex h-6.5 items-center gap-1.5 rounded-sm pr-2 text-sm select-none focus-visible:-outline-offset-2',
              node.path === current ? 'bg-selected text-ink' : 'text-ink-soft hover:bg-hover',
            )}
          >
            <span className="flex shrink-0 items-center text-ink-faint">
              {isFolder ? (
                closed.has(node.path) ? (
                  <ChevronRight size={13} aria-hidden="true" />
                ) : (
                  <ChevronDown size={13} aria-hidden="true" />
                )
              ) : (
                <span className="w-[13px]" />
              )}
              {isFolder ? <Folder size={14} aria-hidden="true" /> : <File size={14} aria-hidden="true" />}
            </span>
            <span className="min-w-0 flex-1 truncate" title={node.path}>
              {node.name}
            </span>
            {node.file?.mark && <span className="text-xs text-caution">{node.file.mark}</span>}
            {node.file?.size !== undefined && (
              <span className="text-xs text-ink-faint">{formatBytes(node.file.size)}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
