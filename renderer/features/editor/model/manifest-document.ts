import type { Fix } from '#shared/manifest/finding.ts';
import { JsonDocument, type JsonFault } from '#shared/manifest/json-document.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import { readablePath, stepsOf, valueAt } from '#shared/manifest/json-pointer.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { EditedText, type ChangeOptions } from './edited-text.ts';

export type ManifestValue = Readonly<Record<string, unknown>>;
export type ManifestEdits = Fix['edits'];

/** What a manifest's text says now; while it says nothing, the last that it said. */
export type ManifestReading =
  | { readonly state: 'read'; readonly value: ManifestValue }
  | {
      readonly state: 'broken';
      readonly faults: readonly {
        readonly line: number;
        readonly column: number;
        readonly message: string;
      }[];
      /** It is larger or deeper than is read. */
      readonly isBeyondLimits: boolean;
      readonly last: ManifestValue | undefined;
    };

/**
 * A manifest as one text that a form and a code editor change alike. The text is the truth: the form reads
 * its value and writes by the smallest edits, so that order, unknown members and layout stay.
 */
export class ManifestDocument {
  readonly text: EditedText;
  #reading: ManifestReading;
  #readText: string;
  readonly #listeners = new Set<() => void>();

  constructor(source: string, now?: () => number) {
    this.text = new EditedText(source, now);
    this.#readText = this.text.text;
    this.#reading = read(this.#readText, undefined);
  }

  /** What the text said when it was last read. */
  get reading(): ManifestReading {
    return this.#reading;
  }

  /** Reads the text if it has changed since, which takes a while for a large one. */
  read(): ManifestReading {
    const { text } = this.text;
    if (text !== this.#readText) {
      const last = this.#reading.state === 'read' ? this.#reading.value : this.#reading.last;
      this.#take(read(text, last), text);
    }
    return this.#reading;
  }

  /** Calls back whenever there is another reading. */
  onReading(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Changes values at pointers, as one step of the history. Gives a sentence when it cannot: the text is no
   * JSON now, or a container on the way is of another kind; then nothing has changed.
   */
  edit(edits: ManifestEdits, options: ChangeOptions = {}): string | undefined {
    const reading = this.read();
    if (reading.state === 'broken') return BROKEN;
    const obstacle = edits.map(({ pointer }) => obstacleTo(reading.value, pointer)).find(Boolean);
    if (obstacle !== undefined) return obstacle;
    let text: string;
    let value: unknown;
    try {
      text = editJson(this.text.text, edits);
      value = JSON.parse(text);
    } catch {
      return 'This cannot be changed here. Change it in the JSON view.';
    }
    if (!isRecord(value)) return 'A manifest is an object, and this would make it another value.';
    const fault = edits.some((edit) => typeof edit.value === 'object') ? faultOf(text) : undefined;
    if (fault !== undefined) return fault;
    this.text.change(text, options);
    // Plain values cannot have broken it, so the whole is not checked at each letter.
    this.#take({ state: 'read', value }, text);
    return undefined;
  }

  /** Changes the text as a whole, as one step; refused like {@link edit} while it is no JSON. */
  rewrite(change: (text: string) => string): string | undefined {
    if (this.read().state === 'broken') return BROKEN;
    this.text.change(change(this.text.text));
    this.read();
    return undefined;
  }

  undo(): void {
    this.text.undo();
    this.read();
  }

  redo(): void {
    this.text.redo();
    this.read();
  }

  #take(reading: ManifestReading, text: string): void {
    this.#reading = reading;
    this.#readText = text;
    for (const listener of this.#listeners) listener();
  }
}

const BROKEN = 'The JSON has a fault. Mend it in the JSON view first; nothing is lost meanwhile.';

/** What is wrong with a text, of which a value that was typed as JSON is a part; undefined when nothing is. */
function faultOf(text: string): string | undefined {
  const reading = read(text, undefined);
  return reading.state === 'broken' ? reading.faults[0]?.message : undefined;
}

function read(text: string, last: ManifestValue | undefined): ManifestReading {
  const document = JsonDocument.read(text);
  if (!(document instanceof JsonDocument)) return broken(document, last);
  if (isRecord(document.value)) return { state: 'read', value: document.value };
  const message = 'A manifest is a JSON object in braces, { … }.';
  return { state: 'broken', faults: [{ line: 1, column: 1, message }], isBeyondLimits: false, last };
}

function broken(faults: readonly JsonFault[], last: ManifestValue | undefined): ManifestReading {
  const isBeyondLimits = faults.some(({ code }) => code === 'json_limit');
  return { state: 'broken', faults, isBeyondLimits, last };
}

/** Says which part on the way to a pointer is no container, if one is. */
function obstacleTo(root: ManifestValue, pointer: string): string | undefined {
  const steps = stepsOf(pointer);
  for (let length = 1; length < steps.length; length += 1) {
    const path = steps.slice(0, length);
    const value = valueAt(root, path);
    if (value === undefined) return undefined;
    if (typeof value === 'object' && value !== null) continue;
    return `"${readablePath(path)}" is not an object here, so nothing can be put in it. Change it in the JSON view.`;
  }
  return undefined;
}
