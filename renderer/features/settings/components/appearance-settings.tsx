import { Loading } from '#renderer/components/empty-state.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';

/** Theme and density. */
export function AppearanceSettings() {
  const settings = useApp((state) => state.settings);
  const update = useAction('settings.update');
  if (!settings) return <Loading label="Loading the settings" />;
  return (
    <div className="space-y-6">
      <section aria-label="Theme">
        <h3 className="mb-2 font-semibold">Theme</h3>
        <Segmented
          label="Theme"
          value={settings.appearance}
          onChange={(appearance) => update.mutate({ appearance })}
          options={[
            { value: 'system', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
      </section>
      <section aria-label="Density">
        <h3 className="mb-2 font-semibold">Density</h3>
        <Segmented
          label="Density"
          value={settings.density}
          onChange={(density) => update.mutate({ density })}
          options={[
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ]}
        />
      </section>
      <p className="text-sm text-ink-faint">Motion follows the system’s setting for reduced motion.</p>
    </div>
  );
}
