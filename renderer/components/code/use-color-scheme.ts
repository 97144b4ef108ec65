import { useSyncExternalStore } from 'react';
import { useMediaQuery } from '../use-media-query.ts';

/** Whether the page is light or dark now: the person's choice, else the system's. */
export function useColorScheme(): 'light' | 'dark' {
  const isSystemDark = useMediaQuery('(prefers-color-scheme: dark)');
  const chosen = useSyncExternalStore(followTheme, () => document.documentElement.dataset['theme']);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return isSystemDark ? 'dark' : 'light';
}

function followTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}
