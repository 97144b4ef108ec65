import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Select } from '#renderer/components/field.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import type { ExportedFile, PackageDetail } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';

type Format = 'afps' | 'afps-bundle';
type Dialect = '0.x' | '2.x';

/** Makes an archive of a package, alone or with all it needs. */
export function ExportDialog({
  detail,
  version,
  onClose,
}: {
  detail: PackageDetail;
  /** The state that is shown when absent. */
  version?: string | undefined;
  onClose: () => void;
}) {
  const id = useId();
  const { bridge, notices } = useServices();
  const { summary, dependencies } = detail;
  const [format, setFormat] = useState<Format>(dependencies.length > 0 ? 'afps-bundle' : 'afps');
  const [dialect, setDialect] = useState<Dialect | ''>('');
  const [sign, setSign] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const signing = useRequest('library.signing', {});
  const save = useAction('library.saveExport', {
    onProblem: setProblem,
    onDone: ({ savedTo }) => {
      if (savedTo !== undefined) notices.say(`Saved to ${savedTo}`);
      onClose();
    },
  });
  const give = (file: ExportedFile) => {
    for (const warning of file.warnings) {
      notices.report({ code: 'export', title: `${file.fileName} was made, but`, detail: warning });
    }
    if (bridge.shell === 'electron') return save.mutate({ token: file.token });
    download(bridge.exportUrl(file.token), file.fileName);
    notices.say(`Exported ${file.fileName}`);
    onClose();
  };
  const make = useAction('library.export', { onProblem: setProblem, onDone: give });
  const state = version ?? (detail.shown === 'sample' ? undefined : detail.shown);
  return (
    <ActionDialog
      title={`Export ${summary.displayName}`}
      description={`${version ?? (detail.shown === 'draft' ? 'The draft' : detail.shown === 'sample' ? 'The sample' : detail.shown)}, as a file for another Slipway. A key, a token or a password never goes into it.`}
      action="Export"
      busy={make.isPending || save.isPending}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        make.mutate({
          name: summary.name,
          format,
          sign,
          ...(dialect !== '' && { dialect }),
          ...(state !== undefined && { version: state }),
        });
      }}
    >
      <fieldset>
        <legend className="sr-only">What goes into the file</legend>
        <div className="divide-y divide-line rounded-md border border-line">
          <Choice
            name={`${id}-format`}
            checked={format === 'afps'}
            onChoose={() => setFormat('afps')}
            title="The package alone (.afps)"
            help={
              dependencies.length > 0
                ? `Whoever takes it needs to have ${dependencies.map(({ name }) => name).join(', ')}.`
                : 'It needs no other package, so this is all of it.'
            }
          />
          <Choice
            name={`${id}-format`}
            checked={format === 'afps-bundle'}
            onChoose={() => setFormat('afps-bundle')}
            title="With all it needs (.afps-bundle)"
            help="One file with its integrity; it runs anywhere as it runs here."
          />
        </div>
      </fieldset>
      <Field
        id={`${id}-dialect`}
        label="Manifests"
        help="AFPS 2.0 is the older spelling, for readers that know no other."
      >
        {(attributes) => (
          <Select
            {...attributes}
            value={dialect}
            onChange={({ target }) =>
              setDialect(target.value === '0.x' || target.value === '2.x' ? target.value : '')
            }
          >
            <option value="">As they are</option>
            <option value="0.x">Written as AFPS 0.x</option>
            <option value="2.x">Written as AFPS 2.0</option>
          </Select>
        )}
      </Field>
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          className="mt-[3px]"
          checked={sign}
          onChange={(event) => setSign(event.target.checked)}
        />
        <span>
          Sign it
          <span className="block text-sm text-ink-faint">
            {signing.data?.own
              ? `With this app’s key ${signing.data.own.keyId}.`
              : 'This app’s key is made with the first signature.'}{' '}
            <a
              href={placeLink({ name: 'settings', section: 'packages' })}
              className="text-accent underline underline-offset-2"
              onClick={onClose}
            >
              Keys
            </a>
          </span>
        </span>
      </label>
    </ActionDialog>
  );
}

function Choice({
  name,
  checked,
  onChoose,
  title,
  help,
}: {
  name: string;
  checked: boolean;
  onChoose: () => void;
  title: string;
  help: string;
}) {
  return (
    <label aria-label={title} className="flex items-start gap-3 px-3 py-2 has-checked:bg-selected">
      <input type="radio" name={name} className="mt-1" checked={checked} onChange={onChoose} />
      <span>
        <span className="font-medium">{title}</span>
        <span className="block text-sm text-ink-soft">{help}</span>
      </span>
    </label>
  );
}

/** A browser saves a file when a link to it is followed. */
function download(url: string, fileName: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
}
