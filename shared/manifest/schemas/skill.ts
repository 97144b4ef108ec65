import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { commonShape, objectOf } from './common.ts';

/** Shape of a skill's manifest: what it says, it says in SKILL.md. */
export function skillSchema(dialect: Dialect) {
  return objectOf({ ...commonShape(dialect), type: z.literal('skill', '"skill"') }, 'an object');
}
