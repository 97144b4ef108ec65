import { CodeBlock } from '#renderer/components/code-block.tsx';
import { isColouredJson } from '#renderer/components/coloured-json.ts';
import { formatBytes } from '#renderer/format/format.ts';
import { isRecord } from '#shared/manifest/plain.ts';

/** Images that a page draws without running anything of theirs. */
const DRAWN = /^image\/(png|jpeg|gif|webp|avif)$/;

/** One block of what a server answered: text, image, sound, or a resource. */
export function ContentBlock({ content, label }: { content: unknown; label: string }) {
  if (!isRecord(content)) return <Text label={label} text={JSON.stringify(content, null, 2)} />;
  const { type, text, data, mimeType, resource, uri } = content;
  if (type === 'text' && typeof text === 'string') return <Text label={label} text={text} />;
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    return <Bytes base64={data} mediaType={String(mimeType)} label={label} />;
  }
  if (type === 'resource' && isRecord(resource)) {
    return (
      <div className="space-y-1">
        <p className="font-mono text-sm wrap-anywhere text-ink-soft">
          {String(resource['uri'])}
          {typeof resource['mimeType'] === 'string' && ` · ${resource['mimeType']}`}
        </p>
        {typeof resource['text'] === 'string' && <Text label={label} text={resource['text']} />}
        {typeof resource['blob'] === 'string' && (
          <Bytes base64={resource['blob']} mediaType={String(resource['mimeType'])} label={label} />
        )}
      </div>
    );
  }
  if (type === 'resource_link') {
    return <p className="font-mono text-sm wrap-anywhere">Link to {String(uri)}</p>;
  }
  return <Text label={label} text={JSON.stringify(content, null, 2)} />;
}

function Text({ text, label }: { text: string; label: string }) {
  return <CodeBlock label={label} text={text} language={isColouredJson(text) ? 'json' : 'text'} />;
}

function Bytes({ base64, mediaType, label }: { base64: string; mediaType: string; label: string }) {
  const size = formatBytes((base64.length * 3) / 4);
  return (
    <figure className="space-y-1">
      {DRAWN.test(mediaType) && (
        <img
          src={`data:${mediaType};base64,${base64}`}
          alt={label}
          className="max-h-80 max-w-full rounded-md border border-line bg-sunken"
        />
      )}
      <figcaption className="text-sm text-ink-soft">
        {mediaType}, {size}
      </figcaption>
    </figure>
  );
}
