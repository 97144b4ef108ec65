import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** Something the screen that is shown can do, for the command palette. */
export interface ScreenCommand {
  readonly id: string;
  readonly title: string;
  /** Further words it is found by. */
  readonly hint: string;
  run(): void;
}

const shown = createStore<{ readonly commands: readonly ScreenCommand[] }>(() => ({ commands: [] }));

/** Offers commands until the returned function is called, which a screen does when it goes. */
export function offerScreenCommands(commands: readonly ScreenCommand[]): () => void {
  shown.setState((state) => ({ commands: [...state.commands, ...commands] }));
  return () =>
    shown.setState((state) => ({
      commands: state.commands.filter((command) => !commands.includes(command)),
    }));
}

/** What the screen that is shown offers now. */
export function useShownCommands(): readonly ScreenCommand[] {
  return useStore(shown, (state) => state.commands);
}
