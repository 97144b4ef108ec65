import type { ReactNode } from 'react';
import { useAction } from '#renderer/state/requests.ts';

/** A link that the person's own browser opens. Anything but https is shown as text. */
export function ExternalLink({ url, children }: { url: string; children: ReactNode }) {
  const open = useAction('app.openLink');
  if (!url.startsWith('https://')) return <span>{children}</span>;
  return (
    <a
      href={url}
      className="text-accent underline underline-offset-2"
      onClick={(event) => {
        event.preventDefault();
        open.mutate({ url });
      }}
    >
      {children}
    </a>
  );
}
