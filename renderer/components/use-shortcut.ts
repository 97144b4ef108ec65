import { useEffect, useRef } from 'react';
import { isApple } from './kbd.tsx';

/** Whether the person is typing, so that plain keys are theirs. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);
}

/** Whether a window over the page is open, which then has the keyboard to itself. */
export function isModalOpen(): boolean {
  return document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]') !== null;
}

/**
 * Calls back on a shortcut such as `mod+k`, `?` or `Escape`. Plain keys are left alone while the person
 * types, and all of them while a dialog is open.
 */
export function useShortcut(keys: string, action: () => void, enabled = true): void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  useEffect(() => {
    if (!enabled) return;
    const parts = keys.split('+');
    const key = parts.at(-1);
    const withMod = parts.includes('mod');
    const onKeyDown = (event: KeyboardEvent) => {
      const mod = isApple ? event.metaKey : event.ctrlKey;
      if (event.defaultPrevented || event.altKey || mod !== withMod || event.key !== key) return;
      if (isModalOpen() || (!withMod && isTyping(event.target))) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [keys, enabled]);
}
