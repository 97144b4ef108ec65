import { isRecord } from '#shared/manifest/plain.ts';
import { useForm } from '../hooks/form-context.ts';
import { FormSection, KeptField, TextField, WordsField } from './form-fields.tsx';

/** What the package is called and by whom it is. */
export function IdentitySection() {
  const { manifest, isNameFixed } = useForm();
  const { author } = manifest;
  return (
    <FormSection title="Identity" intro="How the package is found and told apart in the library.">
      <div className="grid max-w-170 gap-4 sm:grid-cols-2">
        <TextField
          path={['display_name']}
          label="Display name"
          required={manifest['type'] === 'agent'}
          help="The name people see."
        />
        <TextField
          path={['name']}
          label="Package name"
          required
          isFixed={isNameFixed}
          placeholder="@you/package"
          help={
            isNameFixed
              ? 'A package keeps its name for good. Make a copy to use another.'
              : 'Lower-case letters, digits and hyphens: @you/csv-report.'
          }
        />
        <TextField
          path={['version']}
          label="Version"
          required
          placeholder="1.0.0"
          help="The next published version. Versions only go up."
        />
        {isRecord(author) ? (
          <TextField
            path={['author', 'name']}
            label="Author"
            help="Its address and page are kept beside it."
          />
        ) : (
          <TextField path={['author']} label="Author" help="Needed to publish." />
        )}
        <div className="sm:col-span-2">
          <TextField
            path={['description']}
            label="Description"
            lines={2}
            help="One sentence: what it does and for whom."
          />
        </div>
        <WordsField path={['keywords']} label="Keywords" help="Separated by commas." />
        <TextField path={['license']} label="Licence" placeholder="MIT" />
        <TextField path={['homepage']} label="Homepage" placeholder="https://" />
        <TextField path={['icon']} label="Icon" help="A PNG of the package, or an address." />
        <div className="sm:col-span-2">
          <TextField path={['long_description']} label="Long description" lines={3} help="Markdown." />
        </div>
        {author !== undefined && typeof author !== 'string' && !isRecord(author) && (
          <KeptField path={['author']} label="Author" />
        )}
      </div>
    </FormSection>
  );
}
