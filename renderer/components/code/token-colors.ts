/** The colours of the app's tokens in one scheme, as `#rrggbb` or `#rrggbbaa`: the editor takes no others. */
export type TokenColors = (token: string) => string;

/** Reads the style sheet's colour tokens as they are in a light or a dark page. */
export function readTokenColors(scheme: 'light' | 'dark'): TokenColors {
  const probe = document.createElement('span');
  probe.style.colorScheme = scheme;
  probe.hidden = true;
  document.body.append(probe);
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const known = new Map<string, string>();
  const colors = new Map<string, string>();
  for (const token of TOKENS) {
    probe.style.color = `var(--color-${token})`;
    const computed = getComputedStyle(probe).color;
    const hex = known.get(computed) ?? hexOf(context, computed);
    known.set(computed, hex);
    colors.set(token, hex);
  }
  probe.remove();
  return (token) => colors.get(token) ?? '#808080';
}

const TOKENS = [
  'canvas',
  'surface',
  'sunken',
  'raised',
  'hover',
  'selected',
  'line',
  'line-strong',
  'ink',
  'ink-soft',
  'ink-faint',
  'accent',
  'accent-strong',
  'accent-soft',
  'success',
  'success-soft',
  'caution',
  'danger',
  'danger-soft',
];

/** A colour of any notation, by what a pixel of it looks like. */
function hexOf(context: CanvasRenderingContext2D | null, color: string): string {
  if (!context) return '#808080';
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
