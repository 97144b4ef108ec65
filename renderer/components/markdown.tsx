import { lazy, Suspense } from 'react';
import type { MarkdownProps } from './rendered-markdown.tsx';

const Rendered = lazy(() => import('./rendered-markdown.tsx'));

/** Markdown as a document. Its renderer is loaded when the first text is shown. */
export function Markdown(props: MarkdownProps) {
  return (
    <Suspense fallback={<p className="text-ink-faint">Rendering…</p>}>
      <Rendered {...props} />
    </Suspense>
  );
}
