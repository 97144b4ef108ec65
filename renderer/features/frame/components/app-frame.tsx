import { useState, type ReactNode } from 'react';
import { TooltipProvider } from '#renderer/components/tooltip.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { ConnectSheet, RequirementSheet } from '#renderer/features/connections/index.ts';
import { ImportSheet, useImport, WindowDrop } from '#renderer/features/import/index.ts';
import { goTo } from '#renderer/state/place.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { Navigation } from './navigation.tsx';
import { QuickOpen } from './quick-open.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { Toaster } from './toaster.tsx';

/** What stands around every screen: navigation, quick open, help, notices and the state of the connection. */
export function AppFrame({ children }: { children: ReactNode }) {
  const [searching, setSearching] = useState(false);
  const [helping, setHelping] = useState(false);
  const importer = useImport();
  useShortcut('mod+k', () => setSearching(true));
  useShortcut('?', () => setHelping(true));
  useShortcut('mod+1', () => goTo({ name: 'library', kind: 'agent' }));
  useShortcut('mod+i', () => importer.choose());
  useShortcut('mod+2', () => goTo({ name: 'runs' }));
  useShortcut('mod+,', () => goTo({ name: 'settings', section: 'engine' }));
  return (
    <TooltipProvider delayDuration={350} skipDelayDuration={200}>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        onClick={(event) => {
          // The fragment is the app's address, so the link may not change it.
          event.preventDefault();
          document.querySelector<HTMLElement>('#content')?.focus();
        }}
      >
        Skip to the content
      </a>
      <div className="flex h-full flex-col">
        <ConnectionBar />
        <div className="flex min-h-0 flex-1">
          <Navigation onSearch={() => setSearching(true)} onHelp={() => setHelping(true)} />
          <div className="flex min-w-0 flex-1 flex-col">{children}</div>
        </div>
      </div>
      <QuickOpen open={searching} onOpenChange={setSearching} onHelp={() => setHelping(true)} />
      <ShortcutHelp open={helping} onOpenChange={setHelping} />
      <RequirementSheet />
      <ConnectSheet />
      <ImportSheet />
      <WindowDrop />
      <Toaster />
    </TooltipProvider>
  );
}
