import { Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { useForm } from '../hooks/form-context.ts';
import { at, removal } from '../model/agent-value.ts';
import type { ManifestEdits } from '../model/manifest-document.ts';
import { renameMember } from '../model/rename-field.ts';
import { KeptField } from './form-fields.tsx';
import { AddByName, NameInput } from './name-inputs.tsx';

/** Entries shown at once; the rest come on demand. */
const PAGE = 40;

interface RowsProps {
  readonly path: readonly string[];
  /** What one is called, such as "header". */
  readonly one: string;
  readonly empty: string;
  /** What a new one begins as. */
  readonly start: unknown;
}

/** The members of an object of the manifest, each with a name that can be changed. */
export function MemberRows({
  path,
  one,
  empty,
  start,
  suggestions = [],
  refuseName,
  rename,
  remove,
  renderDetails,
}: RowsProps & {
  /** Names that are likely. */
  suggestions?: readonly string[];
  /** Why a name may not be taken, beyond being empty or there already. */
  refuseName?: (name: string) => string | undefined;
  /** Makes the text with the name changed wherever it stands. */
  rename?: (text: string, from: string, to: string) => string;
  /** Edits that remove the member wherever it is named. */
  remove?: (name: string) => ManifestEdits;
  renderDetails: (path: readonly string[], name: string) => ReactNode;
}) {
  const { manifest, edit, document, tell, isReadOnly, sought } = useForm();
  const [shown, setShown] = useState(PAGE);
  const value = at(manifest, path);
  if (value !== undefined && !isRecord(value)) return <KeptField path={path} label={`Each ${one}`} />;
  const names = Object.keys(value ?? {});
  const refuse = (name: string, own?: string): string | undefined => {
    if (name === own) return undefined;
    if (name.trim() === '') return `Give the ${one} a name.`;
    if (name === '__proto__') return 'This name cannot be used.';
    if (names.includes(name)) return `There is a ${one} “${name}” already.`;
    return refuseName?.(name);
  };
  const soughtIndex = names.findIndex((name) => sought?.startsWith(pointerOf([...path, name])));
  const visible = names.slice(0, Math.max(shown, soughtIndex + 1));
  return (
    <div className="space-y-2" data-pointer={pointerOf(path)} tabIndex={-1}>
      {names.length === 0 && <p className="text-sm text-ink-faint">{empty}</p>}
      <ul className="space-y-2">
        {visible.map((name) => (
          <li key={name} className="rounded-lg border border-line bg-surface px-3 py-2.5">
            <div className="mb-2 flex items-center gap-2">
              <NameInput
                label={`Name of the ${one} ${name}`}
                name={name}
                refuse={(typed) => refuse(typed, name)}
                isReadOnly={isReadOnly}
                onRename={(to) =>
                  tell(
                    document.rewrite((text) =>
                      rename ? rename(text, name, to) : renameMember(text, path, name, to),
                    ),
                  )
                }
              />
              <IconButton
                size="small"
                label={`Remove ${name}`}
                icon={<Trash2 size={14} />}
                disabled={isReadOnly}
                onClick={() => edit(remove ? remove(name) : removal(manifest, [...path, name]))}
              />
            </div>
            {renderDetails([...path, name], name)}
          </li>
        ))}
      </ul>
      <MoreRows shown={visible.length} of={names.length} onMore={() => setShown(visible.length + PAGE)} />
      <AddByName
        label={`Name of the new ${one}`}
        placeholder={`New ${one}`}
        action={`Add the ${one}`}
        suggestions={suggestions.filter((name) => !names.includes(name))}
        refuse={refuse}
        isReadOnly={isReadOnly}
        onAdd={(name) => {
          edit([{ pointer: pointerOf([...path, name]), value: start }]);
          setShown(Math.max(shown, names.length + 1));
        }}
      />
    </div>
  );
}

/** The entries of a list of the manifest. */
export function EntryRows({
  path,
  one,
  empty,
  start,
  describe,
  renderDetails,
}: RowsProps & {
  /** What an entry is called for those who hear it. */
  describe: (value: unknown, index: number) => string;
  renderDetails: (path: readonly string[]) => ReactNode;
}) {
  const { manifest, edit, isReadOnly, sought } = useForm();
  const [shown, setShown] = useState(PAGE);
  const value = at(manifest, path);
  if (value !== undefined && !Array.isArray(value)) return <KeptField path={path} label={`Each ${one}`} />;
  const entries: readonly unknown[] = value ?? [];
  const pointer = pointerOf(path);
  const soughtIndex = entries.findIndex((_, index) => sought?.startsWith(`${pointer}/${index}`));
  const visible = entries.slice(0, Math.max(shown, soughtIndex + 1));
  return (
    <div className="space-y-2" data-pointer={pointer} tabIndex={-1}>
      {entries.length === 0 && <p className="text-sm text-ink-faint">{empty}</p>}
      <ol className="space-y-2">
        {visible.map((entry, index) => (
          // An entry has no other identity than its place.
          // oxlint-disable-next-line react/no-array-index-key
          <li
            key={index}
            className="flex items-start gap-2 rounded-lg border border-line bg-surface px-3 py-2.5"
          >
            <div className="min-w-0 flex-1">
              {isRecord(entry) ? (
                renderDetails([...path, String(index)])
              ) : (
                <KeptField path={[...path, String(index)]} label={describe(entry, index)} />
              )}
            </div>
            <IconButton
              size="small"
              label={`Remove ${describe(entry, index)}`}
              icon={<Trash2 size={14} />}
              disabled={isReadOnly}
              onClick={() =>
                edit(
                  entries.length === 1
                    ? removal(manifest, path)
                    : [{ pointer: `${pointer}/${index}`, remove: true }],
                )
              }
            />
          </li>
        ))}
      </ol>
      <MoreRows shown={visible.length} of={entries.length} onMore={() => setShown(visible.length + PAGE)} />
      <Button
        icon={<Plus size={14} />}
        unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
        onClick={() => {
          edit(
            value === undefined ? [{ pointer, value: [start] }] : [{ pointer: `${pointer}/-`, value: start }],
          );
          setShown(Math.max(shown, entries.length + 1));
        }}
      >
        Add a {one}
      </Button>
    </div>
  );
}

function MoreRows({ shown, of, onMore }: { shown: number; of: number; onMore: () => void }) {
  if (shown >= of) return null;
  return <Button onClick={onMore}>Show more of {of - shown}</Button>;
}
