import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import type { Finding } from '#shared/manifest/finding.ts';

const looks: Record<Finding['severity'], { icon: ReactNode; word: string }> = {
  error: { icon: <CircleAlert size={15} aria-hidden="true" className="text-danger" />, word: 'Error' },
  warning: { icon: <TriangleAlert size={15} aria-hidden="true" className="text-caution" />, word: 'Warning' },
  information: { icon: <Info size={15} aria-hidden="true" className="text-accent" />, word: 'Note' },
};

const order: readonly Finding['severity'][] = ['error', 'warning', 'information'];

/** What the validator says of a package, the worst first, each with its place. */
export function FindingList({
  findings,
  onMend,
}: {
  findings: readonly Finding[];
  /** Applies a finding's fix, where that can be done from here. */
  onMend?: ((finding: Finding) => void) | undefined;
}) {
  if (findings.length === 0) {
    return (
      <EmptyState icon={<CircleCheck size={28} aria-hidden="true" />} title="Nothing to report">
        The manifest and the prompt keep every rule Slipway knows.
      </EmptyState>
    );
  }
  const sorted = [...findings].sort(
    (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) || a.line - b.line,
  );
  return (
    <ul aria-label="Findings" className="max-w-190 divide-y divide-line border-y border-line">
      {sorted.map((finding) => (
        <li
          key={`${finding.code} ${finding.file} ${finding.pointer} ${finding.message}`}
          className="flex gap-3 py-2"
        >
          <span className="mt-0.5 shrink-0">{looks[finding.severity].icon}</span>
          <div className="min-w-0 flex-1 wrap-anywhere">
            <p>
              <span className="sr-only">{looks[finding.severity].word}: </span>
              {finding.message}
            </p>
            <p className="text-sm text-ink-faint">
              <span className="font-mono">
                {finding.file}:{finding.line}:{finding.column}
              </span>
              {finding.pointer && <span className="ml-3 font-mono">{finding.pointer}</span>}
              <span className="ml-3">{finding.code}</span>
              {finding.blocks === 'publish' && <span className="ml-3">forbids only publishing</span>}
              {finding.fix && !onMend && <span className="ml-3">Mend: {finding.fix.title}</span>}
            </p>
          </div>
          {finding.fix && onMend && (
            <Button size="small" onClick={() => onMend(finding)}>
              {finding.fix.title}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
