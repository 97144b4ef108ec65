/** A `ref` that takes the focus once, when its element comes into the page. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}
