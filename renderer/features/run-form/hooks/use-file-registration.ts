import { useServices } from '#renderer/state/app-context.tsx';
import { formatBytes } from '#renderer/format/format.ts';
import { newId, refuseFile, type ChosenFile } from '../model/draft.ts';

interface Limits {
  readonly accept: string | undefined;
  readonly maxSize: number | undefined;
}

type ChangeFiles = (update: (files: readonly ChosenFile[]) => readonly ChosenFile[]) => void;

/** Hands chosen files over to main, one by one, and shows the way of each in the form. */
export function useFileRegistration(limits: Limits, change: ChangeFiles) {
  const { bridge } = useServices();
  return async (picked: readonly File[]): Promise<void> => {
    const entries = picked.map((file) => ({
      file,
      chosen: {
        id: newId(),
        name: file.name,
        size: file.size,
        source: undefined,
        progress: 0,
        error: refuseFile(limits, file, formatBytes),
      } satisfies ChosenFile,
    }));
    change((files) => [...files, ...entries.map(({ chosen }) => chosen)]);
    for (const { file, chosen } of entries) {
      if (chosen.error) continue;
      const update = (part: Partial<ChosenFile>) =>
        change((files) => files.map((known) => (known.id === chosen.id ? { ...known, ...part } : known)));
      const result = await bridge.registerFile(file, (progress) => update({ progress }));
      if (result.ok) {
        const { handle, size } = result.data;
        update({ source: { kind: 'registered', handle }, size, progress: undefined });
      } else {
        const { title, detail } = result.error;
        update({ error: `${title}: ${detail}`, progress: undefined });
      }
    }
  };
}
