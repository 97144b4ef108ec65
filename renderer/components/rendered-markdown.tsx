import { createContext, use, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { ExternalLink } from './external-link.tsx';

export interface MarkdownProps {
  readonly text: string;
  /** Address of an image the text names by a relative path; without it no image is shown. */
  readonly imageUrl?: ((path: string) => string | undefined) | undefined;
}

const ImageUrl = createContext<MarkdownProps['imageUrl']>(undefined);

const components: Components = {
  a: ({ href, children }) => <ExternalLink url={href ?? ''}>{children}</ExternalLink>,
  img: ({ src, alt }) => <Image source={src} text={alt} />,
};

/** Default export, because it is loaded lazily. */
export default function RenderedMarkdown({ text, imageUrl }: MarkdownProps) {
  return (
    <ImageUrl value={imageUrl}>
      <div className="prose-document">
        <ReactMarkdown remarkPlugins={[remarkGfm]} components={components}>
          {text}
        </ReactMarkdown>
      </div>
    </ImageUrl>
  );
}

function Image({ source, text }: { source: unknown; text: string | undefined }) {
  const imageUrl = use(ImageUrl);
  const url = typeof source === 'string' ? imageUrl?.(source) : undefined;
  const [brokenUrl, setBrokenUrl] = useState<string>();
  return url && url !== brokenUrl ? (
    <img src={url} alt={text ?? ''} style={{ background: 'white' }} onError={() => setBrokenUrl(url)} />
  ) : (
    <em>{text || 'image'}</em>
  );
}
