import { isRecord } from '#shared/manifest/plain.ts';
import { FormSection, TextField } from '../form-fields.tsx';
import { EntryRows } from '../member-rows.tsx';

/** The tools a server says it has, before it was ever started. */
export function ServerToolsSection() {
  return (
    <FormSection
      title="Tools"
      intro="What the server has, told before it runs. An integration over the server offers these to agents."
    >
      <div className="max-w-170">
        <EntryRows
          path={['tools']}
          one="tool"
          empty="None is named, so nothing can be chosen before the server runs."
          start={{ name: '', description: '' }}
          describe={(entry, index) =>
            isRecord(entry) && typeof entry['name'] === 'string' && entry['name'] !== ''
              ? `the tool ${entry['name']}`
              : `tool ${index + 1}`
          }
          renderDetails={(path) => (
            <div className="grid gap-3 sm:grid-cols-[14rem_1fr]">
              <TextField path={[...path, 'name']} label="Name" required />
              <TextField path={[...path, 'description']} label="What it does" />
            </div>
          )}
        />
      </div>
    </FormSection>
  );
}
