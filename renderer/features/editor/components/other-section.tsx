import { Button } from '#renderer/components/button.tsx';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { pointerOf, readablePath } from '#shared/manifest/json-pointer.ts';
import { useForm } from '../hooks/form-context.ts';
import { keptMembers } from '../model/sections.ts';
import { FormSection } from './form-fields.tsx';

/** What the manifest has and the form does not show. */
export function OtherSection({ type }: { type: PackageType }) {
  const { manifest, showInJson } = useForm();
  const kept = keptMembers(type, manifest);
  return (
    <FormSection
      title="Everything else"
      intro="Members of the manifest that this form has no controls for. They are kept exactly as they are; change them in the JSON view."
    >
      {kept.length === 0 && <p className="text-ink-faint">There are none.</p>}
      <ul className="max-w-170 space-y-3">
        {kept.map(({ path, value }) => (
          <li key={pointerOf(path)} className="rounded-md border border-line p-3">
            <div className="mb-1 flex items-center gap-3">
              <h3 className="min-w-0 flex-1 truncate font-mono text-sm font-medium">{readablePath(path)}</h3>
              <Button size="small" data-pointer={pointerOf(path)} onClick={() => showInJson(pointerOf(path))}>
                Edit as JSON
              </Button>
            </div>
            <JsonTree value={value} label={readablePath(path)} />
          </li>
        ))}
      </ul>
    </FormSection>
  );
}
