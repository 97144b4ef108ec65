import { CodeBlock } from '#renderer/components/code-block.tsx';
import type { ServerIdentity } from '#shared/ipc/server-routes.ts';

/** What a server said of itself when it was greeted. */
export function AboutServer({ server }: { server: ServerIdentity | undefined }) {
  if (server === undefined) return <p className="text-ink-soft">It was never connected to.</p>;
  const facts = [
    ['Name', server.name],
    ...(server.title === undefined ? [] : [['Title', server.title]]),
    ['Version', server.version],
    ['Protocol', server.protocolVersion || 'not told'],
  ];
  return (
    <div className="space-y-5">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-soft">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <section aria-label="Instructions">
        <h3 className="mb-1 font-semibold">Instructions</h3>
        {server.instructions === undefined ? (
          <p className="text-ink-soft">It gives none.</p>
        ) : (
          <>
            <p className="mb-1.5 text-sm text-ink-faint">
              The server’s own words. No agent is given them: a server may write them to mislead a model.
            </p>
            <CodeBlock label="Instructions" text={server.instructions} maxHeight="max-h-72" />
          </>
        )}
      </section>
      <section aria-label="Capabilities">
        <h3 className="mb-1.5 font-semibold">Capabilities</h3>
        <CodeBlock
          label="Capabilities"
          text={JSON.stringify(server.capabilities, null, 2)}
          language="json"
          maxHeight="max-h-72"
        />
      </section>
    </div>
  );
}
