import { Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import { rangesOf, removeDependency, setRange, type DependencyMap } from '../model/agent-value.ts';
import { packageOf } from '../ports.ts';
import { RangeSelect } from './form-fields.tsx';
import { PackagePicker } from './package-picker.tsx';

/** The packages of one kind an agent depends on. */
export function DependencyList({
  map,
  type,
  addLabel,
  empty,
  renderDetails,
}: {
  map: DependencyMap;
  type: PackageType;
  addLabel: string;
  empty: string;
  /** What else there is to choose of one. */
  renderDetails?: (name: string) => ReactNode;
}) {
  const { manifest, isReadOnly } = useForm();
  const [isAdding, setAdding] = useState(false);
  const ranges = rangesOf(manifest, map);
  return (
    <div className="max-w-200 space-y-3">
      {ranges.length === 0 && <p className="text-ink-faint">{empty}</p>}
      <ul className="space-y-3">
        {ranges.map(([name, range]) => (
          <DependencyRow
            key={name}
            map={map}
            type={type}
            name={name}
            range={range}
            renderDetails={renderDetails}
          />
        ))}
      </ul>
      <Button
        icon={<Plus size={14} />}
        onClick={() => setAdding(true)}
        unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
      >
        {addLabel}
      </Button>
      <PackagePicker open={isAdding} onOpenChange={setAdding} map={map} />
    </div>
  );
}

function DependencyRow({
  map,
  type,
  name,
  range,
  renderDetails,
}: {
  map: DependencyMap;
  type: PackageType;
  name: string;
  range: string | undefined;
  renderDetails: ((name: string) => ReactNode) | undefined;
}) {
  const { manifest, library, edit, isReadOnly } = useForm();
  const pointer = pointerOf(['dependencies', map, name]);
  const errors = useErrorsAt(pointer, true);
  const known = packageOf(library, name, type);
  return (
    <li
      data-pointer={pointer}
      tabIndex={-1}
      className="rounded-lg border border-line bg-surface focus:outline-none"
    >
      <div className="flex items-center gap-3 px-4 py-2.5">
        <div className="min-w-0 flex-1">
          <p className="flex items-baseline gap-2">
            <span className="truncate font-semibold">{known?.displayName ?? name}</span>
            {known && <span className="truncate font-mono text-sm text-ink-faint">{name}</span>}
          </p>
          {known?.description && <p className="line-clamp-1 text-ink-soft">{known.description}</p>}
        </div>
        {range === undefined ? (
          <span className="text-sm text-ink-faint">version: see JSON</span>
        ) : (
          <RangeSelect
            id={`range${pointer}`}
            name={name}
            versions={known?.versions ?? []}
            range={range}
            onChange={(next) => edit(setRange(manifest, map, name, next))}
          />
        )}
        <IconButton
          label={`Remove ${known?.displayName ?? name}`}
          icon={<Trash2 size={15} />}
          disabled={isReadOnly}
          onClick={() => edit(removeDependency(manifest, map, name))}
        />
      </div>
      {errors.map((error) => (
        <p key={error} className="px-4 pb-2 text-sm text-caution">
          {error}
        </p>
      ))}
      {renderDetails?.(name)}
    </li>
  );
}
