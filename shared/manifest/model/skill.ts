import type { Dialect } from '../dialect.ts';
import { perDialect } from '../per-dialect.ts';
import { skillSchema } from '../schemas/skill.ts';
import { readIdentity, type PackageIdentity } from './identity.ts';

const shapeFor = perDialect(skillSchema);

export interface SkillManifest extends PackageIdentity {
  readonly type: 'skill';
}

/** Reads a skill's manifest that has no error. */
export function readSkill(value: unknown, dialect: Dialect): SkillManifest {
  return { type: 'skill', ...readIdentity(shapeFor(dialect).parse(value), dialect) };
}
