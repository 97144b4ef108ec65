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

  constructor(source: string, now?: () => number) {
    this.text = new EditedText(source, now);
    this.#readText = this.text.text;
    this.#reading = read(this.#readText, undefined);
  }

  /** The same object as long as the text is the same. */
  get reading(): ManifestReading {
    const { text } = this.text;
    if (text !== this.#readText) {
      const last = this.#reading.state === 'read' ? this.#reading.value : this.#reading.last;
      this.#reading = read(text, last);
      this.#readText = text;
    }
    return this.#reading;
  }

  /**
   * Changes values at pointers, as one step of the history. Gives a sentence when it cannot: the text is no
   * JSON now, or a container on the way is of another kind; then nothing has changed.
   */
  edit(edits: ManifestEdits, options: ChangeOptions = {}): string | undefined {
    const reading = this.reading;
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
    // What the edit made is known to be good, so it need not be checked again.
    this.#reading = { state: 'read', value };
    this.#readText = text;
    this.text.change(text, options);
    return undefined;
  }

  /** Changes the text as a whole, as one step; refused like {@link edit} while it is no JSON. */
  rewrite(change: (text: string) => string): string | undefined {
    if (this.reading.state === 'broken') return BROKEN;
    this.text.change(change(this.text.text));
    return undefined;
  }
}

const BROKEN = 'The JSON has a fault. Mend it in the JSON view first; nothing is lost meanwhile.';

function read(text: string, last: ManifestValue | undefined): ManifestReading {
  const document = JsonDocument.read(text);
  if (!(document instanceof JsonDocument)) return broken(document, last);
  if (isRecord(document.value)) return { state: 'read', value: document.value };
  const message = 'A manifest is a JSON object in braces, { … }.';
  return { state: 'broken', faults: [{ line: 1, column: 1, message }], last };
}

function broken(faults: readonly JsonFault[], last: ManifestValue | undefined): ManifestReading {
  return { state: 'broken', faults, last };
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
