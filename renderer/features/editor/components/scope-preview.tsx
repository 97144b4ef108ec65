import { Check, TriangleAlert } from 'lucide-react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { impliedScopes } from '#shared/tools/scopes.ts';
import type { AuthPlan, PlannedScope } from '../model/scope-plan.ts';
import { reasonText } from '#shared/tools/scope-reason-text.ts';

/**
 * What signing in by one method will ask for and why, held against what a connection already has. It
 * stands in the editor and before a run.
 */
export function ScopePreview({
  integration,
  auth,
  onConnect,
}: {
  integration: string;
  auth: AuthPlan;
  onConnect?: ((integration: string, authKey: string, scopes: readonly string[]) => void) | undefined;
}) {
  const [current] = auth.connections;
  const granted =
    current === undefined
      ? undefined
      : impliedScopes({ scopeCatalog: auth.catalog }, current.connection.scopes);
  const missing = current?.missing ?? [];
  const title = auth.type === 'oauth2' ? `Scopes asked by ${auth.key}` : `Sign-in by ${auth.key}`;
  return (
    <section aria-label={title} className="space-y-2">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h4 className="font-medium">{title}</h4>
        {current ? (
          <Badge tone={missing.length > 0 ? 'caution' : 'success'}>
            {missing.length > 0
              ? `${current.connection.label} lacks ${missing.length}`
              : current.connection.label}
          </Badge>
        ) : (
          <Badge>not connected</Badge>
        )}
        {onConnect && (current === undefined || missing.length > 0) && (
          <Button size="small" onClick={() => onConnect(integration, auth.key, auth.request)}>
            {current === undefined ? 'Connect' : 'Grant the rest'}
          </Button>
        )}
      </header>
      {auth.type === 'oauth2' ? (
        <ul className="divide-y divide-line rounded-md border border-line">
          {auth.scopes.length === 0 && <li className="px-3 py-1.5 text-ink-faint">No scope is asked for.</li>}
          {auth.scopes.map((scope) => (
            <ScopeRow key={scope.value} scope={scope} isGranted={granted?.has(scope.value)} />
          ))}
        </ul>
      ) : (
        <p className="text-ink-soft">
          No scopes: the credential allows whatever its account allows. Give it an account that may do no more
          than it needs.
        </p>
      )}
    </section>
  );
}

function ScopeRow({ scope, isGranted }: { scope: PlannedScope; isGranted: boolean | undefined }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 px-3 py-1.5">
      <span className="w-56 min-w-0 shrink-0" title={scope.description}>
        {scope.label}
      </span>
      <span className="min-w-0 flex-1 text-sm wrap-anywhere text-ink-faint">
        {scope.label !== scope.value && <bdi className="mr-1 font-mono">{scope.value}</bdi>}
        <bdi className="text-ink-soft">{reasonText(scope.reasons)}</bdi>
      </span>
      {scope.risk && (
        <span className="inline-flex items-center gap-1 text-sm text-caution">
          <TriangleAlert size={12} aria-hidden="true" />
          {scope.risk}
        </span>
      )}
      {isGranted === true && (
        <span className="inline-flex items-center gap-1 text-sm text-success">
          <Check size={12} aria-hidden="true" />
          granted
        </span>
      )}
      {isGranted === false && <span className="text-sm text-caution">not granted yet</span>}
    </li>
  );
}
