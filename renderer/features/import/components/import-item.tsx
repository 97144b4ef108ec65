import { ShieldCheck, Wrench } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { aKind, ChangeList, FindingList } from '#renderer/features/packages/index.ts';
import { formatBytes, formatQuantity } from '#renderer/format/format.ts';
import type { ImportItem } from '#shared/ipc/library-routes.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { choiceWords, stateWords, type Choice } from '../model/decisions.ts';

/** One package that was found: what it is, what it would change, and what to do with it. */
export function ImportItemView({
  item,
  choice,
  onChoose,
  onMend,
}: {
  item: ImportItem;
  choice: Choice;
  onChoose: (choice: Choice) => void;
  /** Applies the fix of one finding, or of all that have one. */
  onMend: (finding?: Finding) => void;
}) {
  const { word, tone } = stateWords(item);
  const mendable = item.findings.filter(({ fix }) => fix !== undefined).length;
  const isNew = item.installedVersion === undefined;
  return (
    <ScrollRegion label={`About ${item.displayName}`} className="min-w-0 flex-1 space-y-5 px-5 py-4">
      <div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h3 className="text-lg font-semibold">{item.displayName}</h3>
          <Badge tone={tone}>{word}</Badge>
          {item.rivals.length > 0 && <Badge tone="caution">More than once in this import</Badge>}
          {item.isConverted && <Badge tone="caution">Converted from AFPS 1.x</Badge>}
          {item.mended.length > 0 && <Badge tone="caution">Mended here</Badge>}
          {!item.isRoot && <Badge>Needed by the bundle</Badge>}
        </div>
        <p className="font-mono text-sm text-ink-faint wrap-anywhere">
          {item.name} {item.version}
        </p>
        {item.description && <p className="mt-1 text-ink-soft">{item.description}</p>}
        <p className="mt-1 text-sm text-ink-faint">
          {item.type && `${capital(aKind(item.type))}, `}
          {formatQuantity(item.fileCount, 'file')}, {formatBytes(item.size)}, from{' '}
          {[item.from, ...item.alsoFrom].join(', and the very same from ')}
        </p>
        <p className="mt-1 flex items-center gap-1.5 text-sm text-ink-faint">
          {item.signedBy ? (
            <>
              <ShieldCheck size={14} aria-hidden="true" className="text-success" />
              Signed with the trusted key {item.signedBy}
            </>
          ) : (
            'No trusted signature'
          )}
        </p>
      </div>
      {item.rivals.length > 0 && (
        <p className="border-l-2 border-caution pl-3">
          The import has {item.rivals.length === 1 ? 'another package' : 'other packages'} of this name, of
          the same version with other content or of another kind, from <Sources from={item.rivals} />. Only
          one of them can be taken as a version: choosing this one leaves the rest.
        </p>
      )}
      {item.choices.length > 1 && <Choices item={item} choice={choice} onChoose={onChoose} />}
      {item.state === 'type_mismatch' && (
        <p className="border-l-2 border-danger pl-3">
          The library has a package of this name that is of another kind. Give one of the two another name.
        </p>
      )}
      {item.state === 'version_differs' && (
        <p className="border-l-2 border-caution pl-3">
          The library has a {item.version} with other content, and a version never changes. It can be taken as
          a draft, to be published under a higher number.
        </p>
      )}
      {item.dropped.length > 0 && (
        <p className="border-l-2 border-caution pl-3">
          Withdrawn since it was made, and without effect now:{' '}
          <span className="font-mono text-sm">{item.dropped.join(', ')}</span>. The rest is kept.
        </p>
      )}
      {item.mended.length > 0 && <Mended key={item.mended.length} titles={item.mended} />}
      {item.findings.length > 0 && (
        <section aria-label="What was found">
          <div className="mb-1.5 flex items-center gap-3">
            <h4 className="flex-1 font-semibold">What was found</h4>
            {mendable > 1 && (
              <Button size="small" icon={<Wrench size={13} />} onClick={() => onMend()}>
                Mend all {mendable}
              </Button>
            )}
          </div>
          <FindingList findings={item.findings} onMend={onMend} />
        </section>
      )}
      {item.state !== 'invalid' && (
        <section aria-label={isNew ? 'What it may reach' : 'What changes'}>
          <h4 className="mb-1.5 font-semibold">
            {isNew ? 'What it may reach' : `What changes against ${item.installedVersion}`}
          </h4>
          <ChangeList changes={item.changes} isNew={isNew} />
        </section>
      )}
    </ScrollRegion>
  );
}

function Sources({ from }: { from: readonly string[] }) {
  return <span className="font-mono text-sm wrap-anywhere">{from.join(', ')}</span>;
}

/** What was mended. It takes the focus of the button that did it, which is gone. */
function Mended({ titles }: { titles: readonly string[] }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (document.activeElement === null || document.activeElement === document.body) place.current?.focus();
  }, []);
  return (
    <p ref={place} tabIndex={-1} role="status" className="border-l-2 border-caution pl-3 focus:outline-none">
      Mended: {titles.join('; ')}. It is no longer just what its author published, so it comes as a draft
      unless you say otherwise.
    </p>
  );
}

const meanings: Record<Choice, string> = {
  version: 'It never changes. Ranges find it.',
  draft: 'To be changed before it is published.',
  skip: 'The library stays as it is.',
};

function Choices({
  item,
  choice,
  onChoose,
}: {
  item: ImportItem;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}) {
  const id = useId();
  return (
    <fieldset>
      <legend className="sr-only">What to do with it</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        {item.choices.map((known) => (
          <label key={known} className="flex items-center gap-3 px-3 py-1.5 has-checked:bg-selected">
            <input type="radio" name={id} checked={choice === known} onChange={() => onChoose(known)} />
            <span className="font-medium">{choiceWords(known, item)}</span>
            <span className="text-sm text-ink-soft">{meanings[known]}</span>
          </label>
        ))}
      </div>
      {item.replacesDraft && choice === 'draft' && (
        <p className="mt-2 border-l-2 border-caution pl-3">
          The draft you have of it is replaced, and what was not published of it is lost.
        </p>
      )}
    </fieldset>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
