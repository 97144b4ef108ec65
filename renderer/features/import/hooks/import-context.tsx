import { createContext, use, useState, type ReactNode } from 'react';
import { kindWords, placeOf } from '#renderer/features/packages/index.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import { useServices, type AppServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { ImportDesk } from '../model/import-desk.ts';

const ImportContext = createContext<ImportDesk | undefined>(undefined);

/** Gives every screen below the one import there can be at a time. */
export function ImportProvider({ children }: { children: ReactNode }) {
  const services = useServices();
  const [desk] = useState(() => deskOver(services));
  return <ImportContext value={desk}>{children}</ImportContext>;
}

/** The window's import. @throws Error outside of {@link ImportProvider}. */
export function useImport(): ImportDesk {
  const desk = use(ImportContext);
  if (!desk) throw new Error('useImport needs an ImportProvider above it');
  return desk;
}

function deskOver({ client, bridge, notices }: AppServices): ImportDesk {
  return new ImportDesk({
    client,
    bridge,
    onTaken: (imported, preview) => {
      const [first] = imported;
      if (!first) return;
      const nameOf = (name: string) => preview.items.find((item) => item.name === name);
      const main =
        imported.find(({ name }) => preview.items.some((item) => item.name === name && item.isRoot)) ?? first;
      const item = nameOf(main.name);
      notices.say(
        imported.length === 1
          ? `Imported ${item?.displayName ?? main.name} ${main.as === 'draft' ? 'as a draft' : main.version}`
          : `Imported ${formatQuantity(imported.length, 'package')}`,
      );
      const roots = preview.items.filter(({ isRoot }) => isRoot);
      if (item?.type && (imported.length === 1 || roots.length === 1)) {
        goTo(placeOf({ name: main.name, type: item.type }, 'overview'));
        return;
      }
      const kinds = new Set(preview.items.map(({ type }) => type));
      const [kind] = kinds;
      goTo({ name: 'library', kind: kinds.size === 1 && kind ? kindWords(kind).kind : undefined });
    },
    onWatched: ({ name, path }) => notices.say(`${name} follows ${path}`),
  });
}
