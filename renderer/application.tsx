import { useEffect, useState } from 'react';
import { ErrorBoundary } from '#renderer/components/error-boundary.tsx';
import {
  ConnectionsScreen,
  ConnectProvider,
  RequirementProvider,
} from '#renderer/features/connections/index.ts';
import { EngineMissingScreen, ImageFailedScreen } from '#renderer/features/engine/index.ts';
import { AppFrame, DisconnectedScreen } from '#renderer/features/frame/index.ts';
import { ImportProvider } from '#renderer/features/import/index.ts';
import { LibraryScreen } from '#renderer/features/library/index.ts';
import { PackageScreen } from '#renderer/features/packages/index.ts';
import { RunScreen } from '#renderer/features/run/index.ts';
import { RunsScreen } from '#renderer/features/runs/index.ts';
import { TrialScreen } from '#renderer/features/server-trials/index.ts';
import { SettingsScreen } from '#renderer/features/settings/index.ts';
import { VaultLockedScreen } from '#renderer/features/vault/index.ts';
import { applyAppearance } from '#renderer/state/appearance.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink, usePlace } from '#renderer/state/place.ts';

/** The whole page. */
export function Application() {
  const place = usePlace();
  const settings = useApp((state) => state.settings);
  useEffect(() => {
    if (settings) applyAppearance(settings);
  }, [settings]);
  const isShutOut = useApp(({ connection }) => connection === 'closed') && settings === undefined;
  if (isShutOut) return <DisconnectedScreen />;
  return (
    <ImportProvider>
      <ConnectProvider>
        <RequirementProvider>
          <AppFrame>
            <ErrorBoundary resetKey={placeLink(place)}>
              <Screen />
            </ErrorBoundary>
          </AppFrame>
        </RequirementProvider>
      </ConnectProvider>
    </ImportProvider>
  );
}

function Screen() {
  const place = usePlace();
  switch (place.name) {
    case 'library':
      return place.kind === 'agent' ? <FirstScreen /> : <LibraryScreen place={place} />;
    case 'package':
      return <PackageScreen key={place.packageName} place={place} />;
    case 'runs':
      return <RunsScreen place={place} />;
    case 'run':
      return <RunScreen key={place.runId} place={place} />;
    case 'connections':
      return <ConnectionsScreen />;
    case 'try':
      return <TrialScreen key={place.integrationId} place={place} />;
    case 'settings':
      return <SettingsScreen place={place} />;
  }
}

type Obstacle = 'engine' | 'image' | 'vault';

/** The agents, unless something stands in the way of running any: then what it is and how to mend it. */
function FirstScreen() {
  const engine = useApp((state) => state.engine);
  const vault = useApp((state) => state.vault);
  const isKeyLocked = useApp(({ models }) => {
    const provider = models?.providers.find(({ id }) => id === models.defaultModel.providerId);
    return provider?.keyRequirement === 'required' && provider.hasKey && !provider.ready;
  });
  const [passed, setPassed] = useState<ReadonlySet<Obstacle>>(new Set());
  const pass = (obstacle: Obstacle) => setPassed((known) => new Set([...known, obstacle]));

  const isMissing = engine?.state === 'missing' || engine?.state === 'needs_consent';
  if (isMissing && !passed.has('engine'))
    return <EngineMissingScreen engine={engine} onBrowse={() => pass('engine')} />;
  if (engine?.image.state === 'failed' && !isMissing && !passed.has('image'))
    return <ImageFailedScreen engine={engine} onBrowse={() => pass('image')} />;
  if (vault?.state === 'locked' && isKeyLocked && !passed.has('vault'))
    return <VaultLockedScreen vault={vault} onSkip={() => pass('vault')} />;
  return <LibraryScreen place={{ name: 'library', kind: 'agent' }} />;
}
