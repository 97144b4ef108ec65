import type { Finding, Fix } from './finding.ts';
import type { TextPosition } from './json-document.ts';
import { pointerOf, type JsonPath } from './json-pointer.ts';
import { RULES, type Rule, type RuleCode } from './rules/catalogue.ts';

/** Whether a manifest comes from its author now, or was accepted earlier and must keep working. */
export type Direction = 'author' | 'stored';

/** Knows where the parts of a text are: a JSON document, or a text that has only a beginning. */
export interface Places {
  position(pointer: string, part?: 'key' | 'value'): TextPosition;
}

/** The places of a file that is not JSON, or that is missing. */
export const TEXT_START: Places = { position: () => ({ line: 1, column: 1 }) };

/** Findings of one code that are told of a file: nobody reads more, and a file may be made to have thousands. */
const MAX_OF_ONE_CODE = 100;

/** Gathers what rules have to say about one file, each with its place in the author's text. */
export class FindingList {
  readonly direction: Direction;
  readonly #places: Places;
  readonly #file: string;
  readonly #findings = new Map<string, Finding>();
  readonly #counts = new Map<RuleCode, number>();

  constructor(places: Places, file: string, direction: Direction) {
    this.#places = places;
    this.#file = file;
    this.direction = direction;
  }

  /**
   * Adds a finding at a path, or at the member's name with `at: 'key'`. The same again is ignored, and so are
   * those of its code after the first hundred: what they forbid is told already.
   */
  add(code: RuleCode, path: JsonPath, message: string, options: { at?: 'key'; fix?: Fix } = {}): void {
    const pointer = pointerOf(path);
    const identity = `${code} ${pointer}`;
    if (this.#findings.has(identity)) return;
    const count = (this.#counts.get(code) ?? 0) + 1;
    this.#counts.set(code, count);
    if (count > MAX_OF_ONE_CODE) return;
    const rule: Rule = RULES[code];
    const weight = this.direction === 'stored' ? (rule.stored ?? rule) : rule;
    this.#findings.set(identity, {
      code,
      severity: weight.severity,
      blocks: weight.blocks,
      file: this.#file,
      pointer,
      ...this.#places.position(pointer, options.at),
      message,
      ...(options.fix === undefined ? {} : { fix: options.fix }),
    });
  }

  has(code: RuleCode, path: JsonPath): boolean {
    return this.#findings.has(`${code} ${pointerOf(path)}`);
  }

  /** In the order of the text. */
  toArray(): Finding[] {
    return [...this.#findings.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  }
}

/** Whether anything found forbids saving and running. */
export function forbidsUse(findings: readonly Finding[]): boolean {
  return findings.some((finding) => finding.severity === 'error' && finding.blocks === 'use');
}
