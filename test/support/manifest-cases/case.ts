import type { Fix } from '#shared/manifest/finding.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import type { PackageLookup } from '#shared/manifest/rules/common.ts';
import type { RuleCode } from '#shared/manifest/rules/catalogue.ts';

export type Edit = Fix['edits'][number];

export function put(pointer: string, value: unknown): Edit {
  return { pointer, value };
}

export function drop(pointer: string): Edit {
  return { pointer, remove: true };
}

/** A package with one thing wrong, and the finding that must say so. */
export interface Case {
  /** Row of the reference's must-reject list; `--` for a rule of our own. */
  readonly row: string;
  readonly code: RuleCode;
  readonly pointer: string;
  readonly text: string;
  readonly message: RegExp;
  readonly file: string;
  /** Files beside the manifest; absent when only the manifest is checked. */
  readonly files: Readonly<Record<string, string>> | undefined;
  readonly packages: PackageLookup | undefined;
}

interface Options {
  /** The good manifest to spoil. */
  readonly of?: string;
  readonly says?: RegExp;
  readonly file?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly packages?: PackageLookup;
}

/** Makes cases from one good manifest. */
export function spoiling(good: string) {
  /** By default the change is the value at the place that the finding must name. */
  function wrong(row: string, code: RuleCode, pointer: string, change: unknown, options: Options = {}): Case {
    const isEdits = Array.isArray(change) && change.length > 0 && change.every(isEdit);
    const edits = isEdits ? change : [put(pointer, change)];
    const { of = good, says = /\.$/, file = 'manifest.json', files, packages } = options;
    return { row, code, pointer, text: editJson(of, edits), message: says, file, files, packages };
  }

  function missing(row: string, pointer: string, of?: string): Case {
    return wrong(row, 'field_missing', pointer, [drop(pointer)], of === undefined ? {} : { of });
  }

  return { wrong, missing };
}

function isEdit(value: unknown): value is Edit {
  return typeof value === 'object' && value !== null && 'pointer' in value;
}

export function pretty(manifest: unknown): string {
  return JSON.stringify(manifest, null, 2);
}
