import { useId } from 'react';
import { Field, Select } from '#renderer/components/field.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { Settings } from '#shared/settings/settings.ts';

/** How runs use the engine. */
export function RunSettings() {
  const id = useId();
  const settings = useApp((state) => state.settings);
  const update = useAction('settings.update');
  if (!settings) return null;
  return (
    <section aria-label="Runs" className="space-y-3">
      <h3 className="font-semibold">Runs</h3>
      <Toggle
        name="warmPair"
        label="Keep a sandbox ready"
        help="One idle, unconfigured pair of containers waits for the next run, so that it starts in a fraction of the time."
        settings={settings}
        onChange={(warmPair) => update.mutate({ warmPair })}
      />
      <Toggle
        name="preferGvisor"
        label="Use gVisor where the engine has it"
        help="A second kernel between the agent and this computer. Runs start slower."
        settings={settings}
        onChange={(preferGvisor) => update.mutate({ preferGvisor })}
      />
      <div className="max-w-60">
        <Field id={`${id}-concurrent`} label="Runs at the same time" help="Further ones wait in the queue.">
          {(attributes) => (
            <Select
              {...attributes}
              value={settings.maxConcurrentRuns}
              onChange={(event) => update.mutate({ maxConcurrentRuns: Number(event.target.value) })}
            >
              {Array.from({ length: 16 }, (_, index) => (
                <option key={index} value={index + 1}>
                  {index + 1}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
    </section>
  );
}

function Toggle({
  name,
  label,
  help,
  settings,
  onChange,
}: {
  name: 'warmPair' | 'preferGvisor';
  label: string;
  help: string;
  settings: Settings;
  onChange: (value: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        className="mt-[3px] size-3.5"
        checked={settings[name]}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <p id={`${id}-help`} className="text-sm text-ink-faint">
          {help}
        </p>
      </div>
    </div>
  );
}
