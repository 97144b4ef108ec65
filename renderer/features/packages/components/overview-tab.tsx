import { CircleAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { ExternalLink } from '#renderer/components/external-link.tsx';
import { Markdown } from '#renderer/components/markdown.tsx';
import { formatBytes, formatDateTime, formatQuantity } from '#renderer/format/format.ts';
import { placeLink, type PackagePlace } from '#renderer/state/place.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { manifestFacts } from '../model/manifest-facts.ts';
import { originSentence } from '../model/origin.ts';
import { DependencyReach } from './dependency-reach.tsx';
import { ReachList } from './reach-list.tsx';

/** What a package is for, and all that it may reach. */
export function OverviewTab({ detail, place }: { detail: PackageDetail; place: PackagePlace }) {
  const { summary, reach, content, findings } = detail;
  const facts = manifestFacts(detail.manifestText);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return (
    <div className="grid gap-x-12 gap-y-8 xl:grid-cols-[minmax(0,46rem)_minmax(16rem,22rem)]">
      <div className="min-w-0 space-y-8">
        {summary.description && <p className="text-lg text-ink-soft">{summary.description}</p>}
        {errors > 0 && (
          <p className="flex gap-2 border-l-2 border-danger bg-danger-soft px-3 py-2">
            <CircleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
            <span>
              It has {formatQuantity(errors, 'error')}.{' '}
              <a
                href={placeLink({ ...place, tab: 'findings' })}
                className="text-accent underline underline-offset-2"
              >
                See what and where
              </a>
            </span>
          </p>
        )}
        <section aria-label="Requirements">
          <h2 className="text-lg font-semibold">What it may reach, and why</h2>
          <p className="mb-4 text-ink-soft">
            Read from its manifest and files.{' '}
            {summary.type === 'agent' &&
              'Nothing else is open to it: a run has no network but through these tools.'}
          </p>
          {reach.length > 0 ? (
            <ReachList items={reach} />
          ) : (
            <p className="flex items-center gap-2 text-ink-soft">
              <ShieldCheck size={16} aria-hidden="true" className="text-success" />
              Nothing by itself: no host, no credential, no tool, no code.
            </p>
          )}
        </section>
        <DependencyReach nodes={detail.dependencies} />
        {facts.setup.length > 0 && (
          <section aria-label="Setup">
            <h2 className="mb-2 text-lg font-semibold">Before the first use</h2>
            <ol className="list-decimal space-y-1.5 pl-5">
              {facts.setup.map(({ label, url }) => (
                <li key={label}>
                  {label}
                  {url && (
                    <span className="block text-sm">
                      <ExternalLink url={url}>{url}</ExternalLink>
                    </span>
                  )}
                </li>
              ))}
            </ol>
          </section>
        )}
        {content && summary.type !== 'agent' && content.text.trim() !== '' && (
          <section aria-label={content.path}>
            <h2 className="mb-2 font-mono text-base font-semibold">{content.path}</h2>
            <Markdown text={content.text.replace(/^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/, '')} />
          </section>
        )}
      </div>
      <Facts detail={detail} />
    </div>
  );
}

function Facts({ detail }: { detail: PackageDetail }) {
  const { summary, files, versions, shown, integrity } = detail;
  const facts = manifestFacts(detail.manifestText);
  const version = versions.find((known) => known.version === shown);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <aside aria-label="About this package" className="space-y-6">
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        <Fact name="Shown">
          {shown === 'draft' ? 'the draft' : shown === 'sample' ? 'the sample' : shown}
        </Fact>
        {summary.latestVersion && summary.state !== 'sample' && (
          <Fact name="Latest">{summary.latestVersion}</Fact>
        )}
        {version && <Fact name="Published">{formatDateTime(version.publishedAt)}</Fact>}
        {version && <Fact name="Came">{originSentence(version.origin)}</Fact>}
        {summary.forkedFrom && <Fact name="Forked from">{summary.forkedFrom}</Fact>}
        {summary.watchedFolder && <Fact name="Follows">{summary.watchedFolder}</Fact>}
        {facts.author && <Fact name="Author">{facts.author}</Fact>}
        {facts.license && <Fact name="License">{facts.license}</Fact>}
        <Fact name="Files">
          {formatQuantity(files.length, 'file')}, {formatBytes(size)}
        </Fact>
        <Fact name="Integrity">
          <span className="flex items-start gap-1">
            <span className="min-w-0 truncate font-mono text-sm" title={integrity}>
              {integrity}
            </span>
            <CopyButton text={integrity} label="Copy the integrity" />
          </span>
        </Fact>
      </dl>
      {facts.links.length > 0 && (
        <ul className="space-y-1">
          {facts.links.map(({ label, url }) => (
            <li key={label}>
              <ExternalLink url={url}>{label}</ExternalLink>
            </li>
          ))}
        </ul>
      )}
    </aside>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}
