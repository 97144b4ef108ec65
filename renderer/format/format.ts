import type { Usage } from '#shared/models/model.ts';

const integer = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** A length of time: `840 ms`, `4.2 s`, `5 min`, `1 min 05 s`, `2 h 03 min`. */
export function formatDuration(milliseconds: number): string {
  const duration = Math.max(0, milliseconds);
  if (duration < 999.5) return `${Math.round(duration)} ms`;
  if (duration < 59_950) return `${(duration / 1000).toFixed(1)} s`;
  const seconds = Math.round(duration / 1000);
  if (seconds < 3600) return inTwoUnits(seconds, 'min', 's');
  return inTwoUnits(Math.floor(seconds / 60), 'h', 'min');
}

/** A running clock: `0:42`, `12:07`, `1:02:07`. Whole seconds that have passed, never rounded up. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}

/** A place on a run's clock, to the tenth of a second: `0:03.2`, `12:07.0`. */
export function formatOffset(milliseconds: number): string {
  const tenths = Math.floor(Math.max(0, milliseconds) / 100);
  return `${Math.floor(tenths / 600)}:${pad(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
}

/** A size in decimal units, with three digits at most: `0 B`, `12.4 kB`, `100 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (unit < units.length - 1 && (unit === 0 ? value >= 1000 : value >= 999.5)) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(value < 99.95 ? 1 : 0)} ${units[unit]}`;
}

/** A whole number with thin groups: `12,480`. */
export function formatCount(count: number): string {
  return integer.format(count);
}

/** A count and its noun: `1 file`, `3 files`. */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** Tokens in as few characters as tell them apart: `840`, `12.4k`, `1.2M`. */
export function formatTokens(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Cost in US dollars: `—` when no price is known, a floor with `≥` when only a part is priced. */
export function formatCost(usage: Pick<Usage, 'cost' | 'pricing'>): string {
  if (usage.pricing === 'unpriced') return '—';
  return `${usage.pricing === 'partial' ? '≥ ' : ''}$${usage.cost === 0 ? '0' : usage.cost.toFixed(4)}`;
}

/** What the cost's sign means, for a tooltip or a screen reader. */
export function describeCost(usage: Pick<Usage, 'cost' | 'pricing'>): string {
  switch (usage.pricing) {
    case 'unpriced':
      return 'No price is known for this model';
    case 'partial':
      return 'At least this much: a part of the usage has no known price';
    case 'priced':
      return 'Cost so far in US dollars, from the prices of the model';
  }
}

/** Time of day to the millisecond, local. */
export function formatClock(at: number): string {
  return clock.format(at);
}

/** Date and time, local. */
export function formatDateTime(at: number): string {
  return dateTime.format(at);
}

/** How long ago: `now`, `5 minutes ago`, `yesterday`; the date once that says more. */
export function formatRelative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 45) return 'just now';
  if (distance < 45 * 60) return relative.format(Math.round(seconds / 60), 'minute');
  if (distance < 22 * 3600) return relative.format(Math.round(seconds / 3600), 'hour');
  if (distance < 7 * 86_400) return relative.format(Math.round(seconds / 86_400), 'day');
  return formatDateTime(at);
}

/** A value in at most so many characters, cut at the end with an ellipsis. */
export function shorten(text: string, limit: number): string {
  const characters = text.slice(0, limit * 2 + 1);
  const points = Array.from(characters);
  return points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
}

/** Sixtieths are left out when there are none. */
function inTwoUnits(sixtieths: number, unit: string, sixtieth: string): string {
  const rest = sixtieths % 60;
  return `${Math.floor(sixtieths / 60)} ${unit}${rest === 0 ? '' : ` ${pad(rest)} ${sixtieth}`}`;
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
