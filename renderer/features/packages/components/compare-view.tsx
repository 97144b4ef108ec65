import { ArrowRight, ChevronLeft } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { DiffView, languageOf } from '#renderer/components/code/index.ts';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { goTo, placeLink, type PackagePlace } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { ChangeReport, PackageDetail } from '#shared/ipc/library-routes.ts';
import { ChangeList } from './change-list.tsx';
import { FileTreeView } from './file-tree-view.tsx';

/** Bytes of each side that are compared. */
const LIMIT = 1_000_000;

/** What differs between two states of a package: what it may reach, and each file side by side. */
export function CompareView({ detail, place }: { detail: PackageDetail; place: PackagePlace }) {
  const { from = '', to = '' } = place;
  const { summary, versions } = detail;
  const report = useRequest(
    'library.compare',
    { name: summary.name, from, to },
    // A draft changes under its name.
    { version: `${summary.updatedAt} ${detail.integrity}` },
  );
  const states = [
    ...(summary.draftVersion === undefined ? [] : ['draft']),
    ...versions.map(({ version }) => version),
  ];
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-3 px-6 py-3">
        <a
          href={placeLink({ ...place, from: undefined, to: undefined, file: undefined })}
          className="inline-flex items-center gap-0.5 text-sm text-ink-faint hover:text-ink"
        >
          <ChevronLeft size={13} aria-hidden="true" />
          All versions
        </a>
        <StateSelect
          label="Before"
          states={states}
          value={from}
          onChange={(next) => goTo({ ...place, from: next }, { replace: true })}
        />
        <ArrowRight size={14} aria-hidden="true" className="text-ink-faint" />
        <StateSelect
          label="After"
          states={states}
          value={to}
          onChange={(next) => goTo({ ...place, to: next }, { replace: true })}
        />
      </div>
      {report.isError && (
        <div className="px-6">
          <ProblemCard problem={report.error.problem} />
        </div>
      )}
      {report.isPending && <Loading label="Comparing" />}
      {report.data && <Differences report={report.data} detail={detail} place={place} />}
    </div>
  );
}

function StateSelect({
  label,
  states,
  value,
  onChange,
}: {
  label: string;
  states: readonly string[];
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className="flex items-center gap-2">
      <label htmlFor={id} className="text-sm text-ink-faint">
        {label}
      </label>
      <Select id={id} className="w-36" value={value} onChange={(event) => onChange(event.target.value)}>
        {(states.includes(value) ? states : [value, ...states]).map((state) => (
          <option key={state} value={state}>
            {state === 'draft' ? 'the draft' : state}
          </option>
        ))}
      </Select>
    </span>
  );
}

function Differences({
  report,
  detail,
  place,
}: {
  report: ChangeReport;
  detail: PackageDetail;
  place: PackagePlace;
}) {
  const files = useMemo(
    () => report.files.map(({ path, change }) => ({ path, mark: words[change] })),
    [report.files],
  );
  if (report.files.length === 0) {
    return (
      <EmptyState title="The two are the same">Every file has the same content, byte for byte.</EmptyState>
    );
  }
  const preferred = ['manifest.json', 'prompt.md', 'SKILL.md'];
  const shown =
    report.files.find(({ path }) => path === place.file) ??
    report.files.find(({ path }) => preferred.includes(path)) ??
    report.files[0];
  return (
    <div className="flex min-h-0 flex-1 border-t border-line">
      <ScrollRegion label="What differs" className="w-80 shrink-0 border-r border-line px-4 py-3">
        <h3 className="mb-1 font-semibold">{formatQuantity(report.files.length, 'file')}</h3>
        <div className="-mx-2 mb-4">
          <FileTreeView
            label="Files that differ"
            files={files}
            current={shown?.path}
            onShow={(file) => goTo({ ...place, file }, { replace: true })}
          />
        </div>
        <h3 className="mb-2 font-semibold">What it may reach</h3>
        <ChangeList changes={{ ...report, files: [] }} isNarrow />
      </ScrollRegion>
      {shown && (
        <FileDiff
          key={shown.path}
          name={detail.summary.name}
          path={shown.path}
          change={shown.change}
          from={place.from ?? ''}
          to={place.to ?? ''}
          version={`${detail.summary.updatedAt}`}
        />
      )}
    </div>
  );
}

const words = { added: 'new', removed: 'gone', changed: '' } as const;

function FileDiff({
  name,
  path,
  change,
  from,
  to,
  version,
}: {
  name: string;
  path: string;
  change: ChangeReport['files'][number]['change'];
  from: string;
  to: string;
  version: string;
}) {
  const [layout, setLayout] = useState<'side-by-side' | 'inline'>('side-by-side');
  const before = useRequest(
    'library.readFile',
    { name, version: from, path, limit: LIMIT },
    { enabled: change !== 'added', version },
  );
  const after = useRequest(
    'library.readFile',
    { name, version: to, path, limit: LIMIT },
    { enabled: change !== 'removed', version },
  );
  const problem = before.error?.problem ?? after.error?.problem;
  const isReady = (change === 'added' || before.data) && (change === 'removed' || after.data);
  const isBinary = before.data?.binary === true || after.data?.binary === true;
  return (
    <section aria-label={`Difference of ${path}`} className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-11 shrink-0 items-center gap-3 px-4">
        <h3 className="min-w-0 flex-1 truncate font-mono text-sm">{path}</h3>
        <Segmented
          label="Layout of the difference"
          value={layout}
          onChange={setLayout}
          options={[
            { value: 'side-by-side', label: 'Side by side' },
            { value: 'inline', label: 'In one' },
          ]}
        />
      </header>
      {problem && (
        <div className="px-4">
          <ProblemCard problem={problem} />
        </div>
      )}
      {!problem && !isReady && <Loading label={`Reading ${path}`} />}
      {isReady && isBinary && (
        <EmptyState title="This file is no text">
          Its content differs, but cannot be shown side by side.
        </EmptyState>
      )}
      {isReady && !isBinary && (
        <div className="min-h-0 flex-1 border-t border-line">
          <DiffView
            original={before.data?.text ?? ''}
            modified={after.data?.text ?? ''}
            label={`${path}, ${from} and ${to}`}
            language={languageOf(path)}
            layout={layout}
          />
        </div>
      )}
    </section>
  );
}
