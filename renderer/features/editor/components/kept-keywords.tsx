import { useForm } from '../hooks/form-context.ts';

/** Names what a schema says and the form does not show. */
export function KeptKeywords({
  keywords,
  of,
  pointer,
}: {
  keywords: readonly string[];
  of: string;
  pointer: string;
}) {
  const { showInJson } = useForm();
  return (
    <p className="text-sm text-ink-faint">
      Kept as they are, for {of}:{' '}
      {keywords.map((keyword, index) => (
        <span key={keyword}>
          {index > 0 && ', '}
          <span className="font-mono text-ink-soft">{keyword}</span>
        </span>
      ))}
      .{' '}
      <button
        type="button"
        className="text-accent underline underline-offset-2"
        onClick={() => showInJson(pointer)}
      >
        Show in JSON
      </button>
    </p>
  );
}
