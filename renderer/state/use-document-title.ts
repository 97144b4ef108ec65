import { useEffect } from 'react';

/** Names the window after what it shows. */
export function useDocumentTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Slipway` : 'Slipway';
  }, [title]);
}
