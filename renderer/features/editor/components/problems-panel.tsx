import { ChevronDown, ChevronUp, CircleCheck, CircleX, Info, TriangleAlert, Wrench } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import type { Finding } from '#shared/manifest/finding.ts';

const LOOKS: Readonly<Record<Finding['severity'], { word: string; icon: ReactNode }>> = {
  error: { word: 'Error', icon: <CircleX size={15} className="text-danger" aria-hidden="true" /> },
  warning: { word: 'Warning', icon: <TriangleAlert size={15} className="text-caution" aria-hidden="true" /> },
  information: { word: 'Note', icon: <Info size={15} className="text-ink-faint" aria-hidden="true" /> },
};

/** Problems shown at once; the rest come on demand. */
const PAGE = 100;

/** Everything the validator says, with the way to the place and to the mending. */
export function ProblemsPanel({
  findings,
  isOpen,
  onToggle,
  current,
  canFix,
  onGo,
  onFix,
}: {
  /** Undefined before the first check. */
  findings: readonly Finding[] | undefined;
  isOpen: boolean;
  onToggle: () => void;
  /** The finding gone to last. */
  current: Finding | undefined;
  canFix: boolean;
  onGo: (finding: Finding) => void;
  onFix: (finding: Finding) => void;
}) {
  const [most, setMost] = useState(PAGE);
  const all = findings ?? [];
  const currentIndex = current === undefined ? -1 : all.indexOf(current);
  const shown = all.slice(0, Math.max(most, currentIndex + 1));
  return (
    <section
      aria-label="Problems"
      className="flex max-h-[38%] shrink-0 flex-col border-t border-line bg-canvas"
    >
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex h-9 shrink-0 items-center gap-2 px-6 text-left hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span className="font-medium">Problems</span>
        <span role="status" className="flex items-center gap-3 text-ink-soft">
          <Summary findings={findings} />
        </span>
        <span className="ml-auto text-ink-faint">
          {isOpen ? <ChevronDown size={15} aria-hidden="true" /> : <ChevronUp size={15} aria-hidden="true" />}
        </span>
      </button>
      {isOpen && shown.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- The keys only move the focus.
        <ul
          className="min-h-0 overflow-auto border-t border-line py-1"
          onKeyDown={(event) => moveFocus(event, '[data-finding]')}
        >
          {shown.map((finding) => (
            <li
              key={`${finding.code} ${finding.file} ${finding.pointer} ${finding.line} ${finding.message}`}
              className="flex items-start gap-2 px-6 py-0.5 hover:bg-hover/60"
            >
              <button
                type="button"
                data-finding
                aria-current={finding === current || undefined}
                onClick={() => onGo(finding)}
                className="flex min-w-0 flex-1 items-start gap-2.5 rounded-sm py-0.5 text-left wrap-anywhere aria-[current]:bg-selected"
              >
                <span className="mt-0.5 shrink-0">{LOOKS[finding.severity].icon}</span>
                <span className="min-w-0 flex-1">
                  <span className="sr-only">{LOOKS[finding.severity].word}: </span>
                  <bdi>{finding.message}</bdi>
                  <span className="ml-2 text-sm text-ink-faint">
                    <span className="font-mono">
                      {finding.file}:{finding.line}:{finding.column}
                    </span>
                    {finding.blocks === 'publish' && ' · forbids only publishing'}
                  </span>
                </span>
              </button>
              {finding.fix && (
                <Button
                  size="small"
                  icon={<Wrench size={13} />}
                  unavailable={canFix ? undefined : 'Mend the JSON first.'}
                  onClick={() => onFix(finding)}
                >
                  {finding.fix.title}
                </Button>
              )}
            </li>
          ))}
          {shown.length < all.length && (
            <li className="px-6 py-1.5">
              <Button size="small" onClick={() => setMost(shown.length + PAGE)}>
                Show more of {formatQuantity(all.length - shown.length, 'other problem')}
              </Button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

function Summary({ findings }: { findings: readonly Finding[] | undefined }) {
  if (findings === undefined) return <>checking…</>;
  if (findings.length === 0) {
    return (
      <>
        <CircleCheck size={15} className="text-success" aria-hidden="true" />
        none
      </>
    );
  }
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  const parts = (['error', 'warning', 'information'] as const).filter((severity) => count(severity) > 0);
  return (
    <>
      {parts.map((severity) => (
        <span key={severity} className="flex items-center gap-1">
          {LOOKS[severity].icon}
          {formatQuantity(count(severity), LOOKS[severity].word.toLowerCase())}
        </span>
      ))}
    </>
  );
}
