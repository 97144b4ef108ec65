/** Replaces one passage of a program, as Pi's `edit` tool takes it. */
export interface Mend {
  readonly oldText: string;
  readonly newText: string;
}
