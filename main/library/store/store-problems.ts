import { ProblemError, type Problem } from '#shared/problem.ts';

type Details = Omit<Problem, 'code' | 'title'>;

const TITLES = {
  package_unknown: 'No such package',
  version_unknown: 'No such version',
  draft_missing: 'There is no draft',
  draft_conflict: 'The draft was changed meanwhile',
  package_name_taken: 'The name is taken',
  package_name_invalid: 'This is no name for a package',
  package_rename_refused: 'A package keeps its name',
  package_type_mismatch: 'The name belongs to another type of package',
  version_exists: 'The version exists',
  version_not_higher: 'The version is not higher',
  no_changes: 'Nothing has changed',
  package_used: 'Other packages need this one',
  tag_protected: 'This tag is kept by Slipway',
  tag_invalid: 'This is no tag',
  dependency_cycle: 'The dependencies go in a circle',
  package_watched: 'The package is edited in its folder',
  version_yanked: 'The version was withdrawn',
} as const;

export type StoreFault = keyof typeof TITLES;

/** A refusal of the store. */
export function storeProblem(code: StoreFault, details: Details): ProblemError {
  return new ProblemError({ code, title: TITLES[code], ...details });
}
