import type { Settings } from '#shared/settings/settings.ts';

const STORAGE_KEY = 'slipway.appearance';

type Appearance = Pick<Settings, 'appearance' | 'density'>;

/** Gives the page its theme and density, and remembers them for the next start's first frame. */
export function applyAppearance({ appearance, density }: Appearance): void {
  const root = document.documentElement;
  if (appearance === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = appearance;
  root.dataset['density'] = density;
  localStorage.setItem(STORAGE_KEY, `${appearance} ${density}`);
}

/** The appearance of the last start, so that the first frame does not flash. */
export function applyRememberedAppearance(): void {
  const [appearance, density] = (localStorage.getItem(STORAGE_KEY) ?? '').split(' ');
  if (appearance === 'light' || appearance === 'dark') document.documentElement.dataset['theme'] = appearance;
  if (density === 'compact') document.documentElement.dataset['density'] = density;
}
