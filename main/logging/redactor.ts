/** Shorter secrets would tear words apart, and are no secrets. */
const SHORTEST_SECRET = 6;
const MASK = '[secret]';

/**
 * Takes known secrets out of texts, in the forms in which they travel: as they are, in JSON, in URLs, in
 * forms, and in base64. A last net under code that keeps secrets out by itself.
 */
export class Redactor {
  readonly #forms = new Set<string>();
  #pattern: RegExp | undefined;

  /** Makes a value known as secret for the rest of the process. */
  protect(secret: string): void {
    const value = secret.trim();
    if (value.length < SHORTEST_SECRET) return;
    const size = this.#forms.size;
    for (const form of formsOf(value)) this.#forms.add(form);
    if (this.#forms.size !== size) this.#pattern = undefined;
  }

  redact(text: string): string {
    if (this.#forms.size === 0) return text;
    this.#pattern ??= new RegExp(
      [...this.#forms]
        .sort((a, b) => b.length - a.length)
        .map((form) => RegExp.escape(form))
        .join('|'),
      'g',
    );
    return text.replace(this.#pattern, MASK);
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
