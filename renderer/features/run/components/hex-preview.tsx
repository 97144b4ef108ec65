import { useQuery } from '@tanstack/react-query';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import { hexLines } from '../model/hex-lines.ts';
import { NothingToShow } from './nothing-to-show.tsx';

/** Bytes of a file that are shown. */
const LIMIT = 64 * 1024;

/** The beginning of a file that is no text, byte by byte. Default export, because it is loaded lazily. */
export default function HexPreview({
  url,
  path,
  size,
  version,
}: {
  url: string;
  path: string;
  size: number;
  version: string;
}) {
  const beginning = useQuery({
    queryKey: ['bytes', url, version],
    queryFn: async ({ signal }) => {
      const response = await fetch(url, { signal, headers: { range: `bytes=0-${LIMIT - 1}` } });
      if (!response.ok) throw new Error(`The file was answered with ${response.status}.`);
      return new Uint8Array(await response.arrayBuffer()).subarray(0, LIMIT);
    },
    // Bytes are not worth keeping once nobody looks at them.
    gcTime: 0,
  });
  if (beginning.isPending) return <Loading label="Reading the file" />;
  if (beginning.isError) return <NothingToShow text="The file could not be read." />;
  return (
    <ScrollRegion label={path} className="min-h-0 flex-1 px-5 pb-4">
      <p className="py-1 text-sm text-ink-faint">
        {size > LIMIT
          ? `Not text. The first ${formatBytes(LIMIT)} of ${formatBytes(size)} are shown; save the file to see all of it.`
          : `Not text, so its ${formatBytes(size)} are shown byte by byte.`}
      </p>
      <CodeBlock label={path} text={hexLines(beginning.data)} maxHeight="" />
    </ScrollRegion>
  );
}
