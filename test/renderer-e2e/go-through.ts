import type { EditorPage } from './editor-page.ts';

/** Opens all there is to open, and touches every field of every part; gives how many there are. */
export function goThrough(editor: EditorPage): Promise<number> {
  return editor.page.evaluate(goThroughEverything);
}

/** Goes through every part of the form and every field of it, as a person with the tab key would. */
async function goThroughEverything(): Promise<number> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 0));
  const parts = document.querySelectorAll<HTMLElement>('nav[aria-label="Parts of the form"] button');
  let count = 0;
  for (const part of parts) {
    part.click();
    await pause();
    const form = part.closest('nav')?.nextElementSibling;
    for (const closed of form?.querySelectorAll<HTMLElement>('[aria-expanded="false"]') ?? []) closed.click();
    await pause();
    for (const control of form?.querySelectorAll<HTMLElement>('input, textarea, select') ?? []) {
      control.focus();
      control.blur();
      count += 1;
    }
  }
  return count;
}
