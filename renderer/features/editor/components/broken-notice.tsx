import type { ManifestReading } from '../model/manifest-document.ts';

/** Says in the form that the text is no JSON, where, and what the form then can do. */
export function BrokenNotice({
  reading,
  onShow,
}: {
  reading: Extract<ManifestReading, { state: 'broken' }>;
  onShow: () => void;
}) {
  const [fault] = reading.faults;
  return (
    <div role="status" className="flex items-baseline gap-3 border-b border-line bg-danger-soft px-6 py-2">
      <p className="min-w-0 flex-1">
        {fault && `Line ${fault.line}: ${fault.message} `}
        {reading.last === undefined
          ? 'The form can show nothing until it is mended.'
          : 'The form shows what the text said last, and can change nothing until it is mended.'}
      </p>
      <button type="button" className="text-accent underline underline-offset-2" onClick={onShow}>
        Mend it in the JSON
      </button>
    </div>
  );
}
