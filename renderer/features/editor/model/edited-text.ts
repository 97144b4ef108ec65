import type { TextReplacement, TextSource } from '#renderer/components/code/text-source.ts';
import { replacementBetween } from '#renderer/components/code/replacement.ts';

/** One thing undo takes back: a change, and what it replaced. */
interface Step {
  readonly replacements: readonly Applied[];
  /** Steps of one key that follow each other quickly are one for undo; none never joins. */
  readonly key: string | undefined;
  readonly at: number;
}

interface Applied extends TextReplacement {
  /** What stood there before. */
  readonly removed: string;
}

/** Milliseconds within which a person who types on adds to the same step. */
const JOINING_PAUSE = 1_200;
/** Characters of history that are kept; the oldest steps are forgotten beyond it. */
const MAX_HISTORY_CHARACTERS = 64 * 1024 * 1024;

export interface ChangeOptions {
  /** What is being changed, such as a field: its changes become one step while they follow each other. */
  readonly key?: string;
}

/**
 * A text and its one history of changes, whoever makes them. A byte order mark is kept apart, since
 * editors neither show nor count it.
 */
export class EditedText implements TextSource {
  readonly #mark: string;
  readonly #now: () => number;
  #text: string;
  #past: Step[] = [];
  #future: Step[] = [];
  #size = 0;
  readonly #changeListeners = new Set<(change: TextReplacement) => void>();
  readonly #listeners = new Set<() => void>();

  constructor(source: string, now: () => number = () => performance.now()) {
    this.#mark = source.startsWith('\uFEFF') ? '\uFEFF' : '';
    this.#text = source.slice(this.#mark.length);
    this.#now = now;
  }

  get text(): string {
    return this.#text;
  }

  /** The text as the file has it, with its byte order mark. */
  get source(): string {
    return this.#mark + this.#text;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  subscribe(listener: (change: TextReplacement) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /** Calls back once after each change as a whole. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  type(changes: readonly TextReplacement[]): void {
    // From the end, so that no change moves the place of the next.
    const replacements = [...changes]
      .sort((a, b) => b.offset - a.offset)
      .map((change) => this.#apply(change));
    this.#remember(replacements, typingKey(replacements, this.#past.at(-1)));
  }

  /** Makes the text another one by the smallest change between the two. */
  change(text: string, { key }: ChangeOptions = {}): void {
    const replacement = replacementBetween(this.#text, text);
    if (replacement === undefined) return;
    this.#remember([this.#apply(replacement)], key);
  }

  undo(): void {
    const step = this.#past.pop();
    if (step === undefined) return;
    for (const { offset, text, removed } of step.replacements.toReversed()) {
      this.#apply({ offset, length: text.length, text: removed });
    }
    this.#future.push(step);
    this.#size -= sizeOf(step);
    this.#tell();
  }

  redo(): void {
    const step = this.#future.pop();
    if (step === undefined) return;
    for (const replacement of step.replacements) this.#apply(replacement);
    // What is typed next is a step of its own.
    this.#push({ ...step, key: undefined });
    this.#tell();
  }

  #apply({ offset, length, text }: TextReplacement): Applied {
    const removed = this.#text.slice(offset, offset + length);
    this.#text = this.#text.slice(0, offset) + text + this.#text.slice(offset + length);
    const change = { offset, length, text };
    for (const listener of this.#changeListeners) listener(change);
    return { ...change, removed };
  }

  #remember(replacements: readonly Applied[], key: string | undefined): void {
    if (replacements.length === 0) return;
    this.#future = [];
    const at = this.#now();
    const last = this.#past.at(-1);
    if (last !== undefined && key !== undefined && last.key === key && at - last.at < JOINING_PAUSE) {
      this.#past.pop();
      this.#size -= sizeOf(last);
      this.#push({ replacements: joined(last.replacements, replacements), key, at });
    } else {
      this.#push({ replacements, key, at });
    }
    this.#tell();
  }

  #push(step: Step): void {
    this.#past.push(step);
    this.#size += sizeOf(step);
    while (this.#size > MAX_HISTORY_CHARACTERS && this.#past.length > 1) {
      const forgotten = this.#past.shift();
      if (forgotten !== undefined) this.#size -= sizeOf(forgotten);
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Letters typed one after another belong together until a new word or line, and so do those deleted. */
function typingKey(replacements: readonly Applied[], last: Step | undefined): string | undefined {
  const [replacement] = replacements;
  const before = last?.replacements.at(-1);
  if (replacement === undefined || replacements.length > 1) return undefined;
  const { offset, text, removed } = replacement;
  if (removed === '' && /^[^\n]$/u.test(text)) {
    const follows = before !== undefined && before.offset + before.text.length === offset;
    const startsWord = !/\s/.test(text) && /\s$/.test(before?.text ?? '');
    if (follows && !startsWord && last?.key?.startsWith('insert')) return last.key;
    return `insert ${offset}`;
  }
  if (text === '' && removed.length === 1) {
    const follows = before !== undefined && (before.offset === offset || before.offset === offset + 1);
    if (follows && last?.key?.startsWith('delete')) return last.key;
    return `delete ${offset}`;
  }
  return undefined;
}

/** Two lists of changes as one; a letter after a letter makes no list of letters. */
function joined(first: readonly Applied[], second: readonly Applied[]): readonly Applied[] {
  const last = first.at(-1);
  const [next] = second;
  const adjoins =
    last !== undefined &&
    next !== undefined &&
    second.length === 1 &&
    next.removed === '' &&
    next.offset === last.offset + last.text.length;
  if (!adjoins) return [...first, ...second];
  return [...first.slice(0, -1), { ...last, text: last.text + next.text }];
}

function sizeOf(step: Step): number {
  return step.replacements.reduce((sum, { text, removed }) => sum + text.length + removed.length, 0);
}
