import { Unplug } from 'lucide-react';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';

/** Stands in place of everything when the app would not let the page in, so that nothing can be shown. */
export function DisconnectedScreen() {
  useDocumentTitle('Not connected');
  return (
    <main className="mx-auto flex h-full max-w-120 flex-col justify-center px-6 pb-24">
      <Unplug size={28} aria-hidden="true" className="mb-3 text-ink-faint" />
      <h1 className="text-2xl font-semibold tracking-[-0.01em]">This page is not connected to Slipway</h1>
      <p className="mt-2 text-lg text-ink-soft">
        The address it was opened with works once and for two minutes. It has been used, is too old, or its
        Slipway has ended.
      </p>
      <p className="mt-4">Start Slipway again, and open the address that it shows.</p>
    </main>
  );
}
