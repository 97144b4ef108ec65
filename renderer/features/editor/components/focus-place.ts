/** Focuses the part of the form that is shown, in the list of the parts. */
export function focusPart(root: HTMLElement | null): void {
  root?.querySelector<HTMLElement>('nav [aria-current]')?.focus();
}

/** Focuses the control of a place, or of the nearest thing around it that has one. */
export function focusPlace(root: HTMLElement, pointer: string): void {
  const candidates = [...root.querySelectorAll<HTMLElement>('[data-pointer]')];
  const around = candidates
    .filter(({ dataset }) => {
      const own = dataset['pointer'] ?? '';
      return pointer === own || pointer.startsWith(`${own}/`);
    })
    .sort((a, b) => (b.dataset['pointer']?.length ?? 0) - (a.dataset['pointer']?.length ?? 0));
  const inside = candidates.find(({ dataset }) => dataset['pointer']?.startsWith(`${pointer}/`));
  const target = around[0] ?? inside;
  target?.scrollIntoView({ block: 'center' });
  target?.focus();
}
