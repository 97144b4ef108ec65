import type { z } from 'zod';
import type { FindingList } from './finding-list.ts';
import { pointerOf, readablePath, valueAt, type JsonPath } from './json-pointer.ts';

type Issue = z.core.$ZodIssue;

/** Characters of an author's value that a sentence repeats. */
const SHOWN_CHARACTERS = 40;

/**
 * Holds a value against the shape of its type and adds a finding for each difference. A message of the
 * schema says what a field must be; the sentence around it is made here.
 */
export function checkStructure(
  schema: z.ZodType,
  root: unknown,
  findings: FindingList,
  base: JsonPath = [],
): void {
  const result = schema.safeParse(valueAt(root, base));
  if (result.success) return;
  for (const issue of result.error.issues) addIssue(issue, base, root, findings);
}

function addIssue(issue: Issue, base: JsonPath, root: unknown, findings: FindingList): void {
  const path = [...base, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  const name = path.length === 0 ? 'The manifest' : `"${readablePath(path)}"`;

  if (issue.code === 'invalid_union') {
    const nearest = nearestBranch(issue.errors);
    if (nearest !== undefined) {
      for (const inner of nearest) addIssue(inner, path, root, findings);
      return;
    }
  }
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      const message = `"${readablePath([...path, key])}" is not known, and nothing else is allowed here. Remove it.`;
      findings.add('field_unknown', [...path, key], message, {
        at: 'key',
        fix: { title: `Remove "${key}"`, edits: [{ pointer: pointerOf([...path, key]), remove: true }] },
      });
    }
    return;
  }
  if (issue.code === 'invalid_key') {
    const expected = issue.issues[0]?.message ?? 'another name';
    findings.add('key_invalid', path, `${name}: the name must be ${expected}.`, { at: 'key' });
    return;
  }
  const value = valueAt(root, path);
  if (value === undefined) {
    findings.add('field_missing', path, `${name} is missing: give ${issue.message}.`);
    return;
  }
  const code = issue.code === 'invalid_type' || isUntakenUnion(issue) ? 'field_type' : 'field_value';
  findings.add(code, path, `${name} must be ${issue.message}; it is ${shown(value)}.`);
}

/** Of a union's branches, the one that took the value as a whole and found fault with its inside. */
function nearestBranch(branches: readonly Issue[][]): Issue[] | undefined {
  const taken = branches.filter((issues) => issues.every((issue) => issue.path.length > 0));
  const typed = branches.filter((issues) => !issues.some(isRootTypeIssue));
  return taken.length === 1 ? taken[0] : typed.length === 1 ? typed[0] : undefined;
}

/** A union none of whose branches is of the value's type; an unknown discriminator is a wrong value. */
function isUntakenUnion(issue: Issue): boolean {
  return issue.code === 'invalid_union' && issue.errors.length > 0;
}

function isRootTypeIssue(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code === 'invalid_type';
}

/** An author's value as a sentence repeats it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
