import { DraftSessions } from './draft-sessions.ts';

/** One for the window: going to another screen and back loses nothing that was typed. */
export const openDrafts = new DraftSessions();
