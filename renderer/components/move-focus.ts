import type { KeyboardEvent } from 'react';
import { isTyping } from './use-shortcut.ts';

const steps: Readonly<Record<string, number>> = {
  j: 1,
  ArrowDown: 1,
  ArrowRight: 1,
  k: -1,
  ArrowUp: -1,
  ArrowLeft: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Moves the focus among the items of a list by j, k, arrows, Home and End. */
export function moveFocus(event: KeyboardEvent<HTMLElement>, selector: string): void {
  const step = steps[event.key];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  if (items.length === 0) return;
  const container = (event.target as HTMLElement).closest('li, tr');
  const current = items.findIndex((item) => item === event.target || container?.contains(item));
  const next = items[Math.min(items.length - 1, Math.max(0, current + step))];
  event.preventDefault();
  next?.focus();
}
