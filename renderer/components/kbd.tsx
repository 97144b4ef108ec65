/** Whether the platform's command key is Command. */
export const isApple = /mac|iphone|ipad/i.test(navigator.platform);

/** A shortcut as this platform writes it: `mod` is Command or Ctrl. */
export function shortcutText(keys: string): string {
  return keys
    .split('+')
    .map((key) => {
      if (key === 'mod') return isApple ? '⌘' : 'Ctrl';
      if (key === 'enter') return isApple ? '↩' : 'Enter';
      return key.length === 1 ? key.toUpperCase() : key;
    })
    .join(isApple ? '' : '+');
}

export function Kbd({ keys }: { keys: string }) {
  return (
    <kbd className="inline-flex h-5 items-center rounded-sm border border-line bg-surface px-1.5 font-sans text-xs text-ink-soft">
      {shortcutText(keys)}
    </kbd>
  );
}
