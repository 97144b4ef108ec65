import { FormSection, TextField } from '../form-fields.tsx';
import { EntryRows } from '../member-rows.tsx';

/** What a person does at the service before the first sign-in. */
export function SetupSection() {
  return (
    <FormSection
      title="Setup guide"
      intro="What a person does at the service before the first sign-in, step by step. Shown where they connect."
    >
      <div className="max-w-170 space-y-5">
        <EntryRows
          path={['setup_guide', 'steps']}
          one="step"
          empty="Nothing is to be done."
          start={{ label: '' }}
          describe={(_, index) => `step ${index + 1}`}
          renderDetails={(path) => (
            <div className="grid gap-3 sm:grid-cols-2">
              <TextField path={[...path, 'label']} label="What to do" required />
              <TextField path={[...path, 'url']} label="Where" placeholder="https://" />
            </div>
          )}
        />
        <TextField
          path={['setup_guide', 'callback_url_hint']}
          label="Hint on the callback"
          lines={2}
          help="{{callback_url}} stands for the address the service must know."
        />
      </div>
    </FormSection>
  );
}
