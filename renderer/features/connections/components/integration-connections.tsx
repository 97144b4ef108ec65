import { useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { VaultDoor } from '#renderer/features/vault/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import type { AuthNeeds, IntegrationNeeds } from '#shared/connections/requirements.ts';
import { useNeeds } from '../hooks/use-needs.ts';
import { methodName } from '../model/words.ts';
import { ChangedTools } from './changed-tools.tsx';
import { ClientSetup } from './client-setup.tsx';
import { IntegrationAccounts } from './integration-accounts.tsx';
import { ServerSettings } from './server-settings.tsx';

/** The part of an integration's page about accounts: those there are, the ways to connect, the author's apps. */
export function IntegrationConnections({ integrationId }: { integrationId: string }) {
  const needs = useNeeds(integrationId);
  return (
    <div className="max-w-190 space-y-8">
      <ChangedTools integrationId={integrationId} />
      <IntegrationAccounts integrationId={integrationId} />
      <ServerSettings integrationId={integrationId} />
      {needs.data && needs.data.auths.length > 0 && (
        <section aria-label="Ways to connect">
          <h3 className="mb-1 font-semibold">Ways to connect</h3>
          <ul className="divide-y divide-line border-y border-line">
            {needs.data.auths.map((method) => (
              <Method
                key={method.authKey}
                needs={needs.data}
                method={method}
                onChange={() => void needs.refetch()}
              />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Method({
  needs,
  method,
  onChange,
}: {
  needs: IntegrationNeeds;
  method: AuthNeeds;
  onChange: () => void;
}) {
  const { authKey, client, authorizedUris, required } = method;
  const vault = useApp((state) => state.vault);
  const [isSettingUp, setIsSettingUp] = useState(false);
  return (
    <li aria-label={authKey} className="space-y-1.5 py-3">
      <div className="flex items-center gap-2">
        <span className="font-medium">{methodName(method)}</span>
        <code className="font-mono text-sm text-ink-faint">{authKey}</code>
        {required && <Badge>Always needed</Badge>}
        <span className="flex-1" />
        {client && (
          <Button size="small" onClick={() => setIsSettingUp(true)}>
            {client.clientId === undefined ? 'Set the app up' : 'Change the app'}
          </Button>
        )}
      </div>
      {client && (
        <>
          <p className="text-ink-soft">
            {client.clientId === undefined
              ? client.isManual
                ? 'It needs an app of yours at the service, which is not set up yet.'
                : 'Slipway registers itself at the service, the first time.'
              : `${client.isManual ? 'Your app' : 'The app that Slipway registered'}: ${client.clientId}`}
          </p>
          <p className="flex items-center gap-2 text-ink-soft">
            Redirect URI
            <code className="font-mono text-sm wrap-anywhere">{client.redirectUri}</code>
            <CopyButton text={client.redirectUri} label="Copy the redirect URI" />
          </p>
        </>
      )}
      {authorizedUris.length > 0 && (
        <p className="text-sm wrap-anywhere text-ink-faint">
          Goes only to <span className="font-mono">{authorizedUris.slice(0, 3).join('  ')}</span>
          {authorizedUris.length > 3 && ` and ${authorizedUris.length - 3} more`}
        </p>
      )}
      {client && isSettingUp && (
        <Dialog open onOpenChange={setIsSettingUp} title={`App at ${needs.displayName}`} width="max-w-150">
          <div className="overflow-auto px-5 pb-5">
            {vault?.state === 'open' ? (
              <ClientSetup
                needs={needs}
                authKey={authKey}
                client={client}
                onDone={() => {
                  setIsSettingUp(false);
                  onChange();
                }}
              />
            ) : (
              vault && <VaultDoor vault={vault} />
            )}
          </div>
        </Dialog>
      )}
    </li>
  );
}
