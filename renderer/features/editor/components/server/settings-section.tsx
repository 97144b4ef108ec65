import { CheckField, JsonField, SelectField } from '../bound-controls.tsx';
import { FormSection, NumberField, TextField } from '../form-fields.tsx';
import { MemberRows } from '../member-rows.tsx';

/** What a person fills in before the server can start. */
export function SettingsSection() {
  return (
    <FormSection
      title="Settings"
      intro="What a person fills in before the server can start. Its command names a setting as ${user_config.name}."
    >
      <div className="max-w-170">
        <MemberRows
          path={['user_config']}
          one="setting"
          empty="It needs no settings."
          start={{ type: 'string', title: 'Setting' }}
          refuseName={(name) => (/^\w+$/.test(name) ? undefined : 'Use letters, digits and "_".')}
          renderDetails={(path) => (
            <div className="space-y-3">
              <div className="grid gap-3 sm:grid-cols-2">
                <TextField path={[...path, 'title']} label="Label" required />
                <SelectField
                  path={[...path, 'type']}
                  label="Kind"
                  options={[
                    ['string', 'Text'],
                    ['number', 'Number'],
                    ['boolean', 'Yes or no'],
                    ['directory', 'Folder'],
                    ['file', 'File'],
                  ]}
                />
                <TextField path={[...path, 'description']} label="Help" />
                <JsonField path={[...path, 'default']} label="Default" />
                <NumberField path={[...path, 'min']} label="Least" />
                <NumberField path={[...path, 'max']} label="Most" />
              </div>
              <div className="flex flex-wrap gap-x-6 gap-y-2">
                <CheckField path={[...path, 'required']} label="Required" />
                <CheckField path={[...path, 'sensitive']} label="Secret" />
                <CheckField path={[...path, 'multiple']} label="Several" />
              </div>
            </div>
          )}
        />
      </div>
    </FormSection>
  );
}
