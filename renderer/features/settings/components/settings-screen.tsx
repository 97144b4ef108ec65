import { Loading } from '#renderer/components/empty-state.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { TabPanel, Tabs } from '#renderer/components/tabs.tsx';
import { EngineDetails } from '#renderer/features/engine/index.ts';
import { PackageSettings } from '#renderer/features/packages/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo, type Place } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import { AboutSettings } from './about-settings.tsx';
import { AppearanceSettings } from './appearance-settings.tsx';
import { ModelSettings } from './model-settings.tsx';
import { NetworkSettings } from './network-settings.tsx';
import { RunSettings } from './run-settings.tsx';

/** The author's choices. */
export function SettingsScreen({ place }: { place: Extract<Place, { name: 'settings' }> }) {
  useDocumentTitle('Settings');
  const engine = useApp((state) => state.engine);
  const failure = useApp((state) => state.failures.get('engine'));
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        label="Settings"
        current={place.section}
        onChange={(section) => goTo({ name: 'settings', section }, { replace: true })}
        className="flex min-h-0 flex-1 flex-col"
        tabs={[
          { key: 'engine', label: 'Engine' },
          { key: 'models', label: 'Models' },
          { key: 'network', label: 'Network' },
          { key: 'packages', label: 'Packages' },
          { key: 'appearance', label: 'Appearance' },
          { key: 'about', label: 'About' },
        ]}
      >
        <main
          id="content"
          tabIndex={-1}
          className="relative min-h-0 flex-1 overflow-auto px-6 py-5 focus:outline-none"
        >
          <TabPanel value="engine" className="max-w-170 space-y-9">
            {failure && <ProblemCard problem={failure} />}
            {engine ? <EngineDetails engine={engine} /> : <Loading label="Looking for an engine" />}
            <RunSettings />
          </TabPanel>
          <TabPanel value="models" className="max-w-190">
            <ModelSettings />
          </TabPanel>
          <TabPanel value="network" className="max-w-170">
            <NetworkSettings />
          </TabPanel>
          <TabPanel value="packages" className="max-w-170">
            <PackageSettings />
          </TabPanel>
          <TabPanel value="appearance" className="max-w-170">
            <AppearanceSettings />
          </TabPanel>
          <TabPanel value="about" className="max-w-170">
            <AboutSettings />
          </TabPanel>
        </main>
      </Tabs>
    </>
  );
}
