import { z } from 'zod';
import type { Dialect, PackageType } from '../dialect.ts';
import { agentSchema } from './agent.ts';
import { integrationSchema } from './integration.ts';
import { mcpServerSchema } from './mcp-server.ts';
import { skillSchema } from './skill.ts';

const SHAPES: Readonly<Record<PackageType, (dialect: Dialect) => z.ZodType>> = {
  agent: agentSchema,
  skill: skillSchema,
  'mcp-server': mcpServerSchema,
  integration: integrationSchema,
};

const made = new Map<string, z.ZodType>();

/** Shape of a type's manifest; each is made once. */
export function manifestSchema(type: PackageType, dialect: Dialect): z.ZodType {
  const key = `${type} ${dialect}`;
  const schema = made.get(key) ?? SHAPES[type](dialect);
  made.set(key, schema);
  return schema;
}

/**
 * The same shape as JSON Schema 2020-12, for editors: completion, hover, first marks. Rules that a shape
 * cannot say are not in it, so only `validateManifest` has the last word.
 */
export function manifestJsonSchema(type: PackageType, dialect: Dialect): Record<string, unknown> {
  const schema = z.toJSONSchema(manifestSchema(type, dialect), { io: 'input', unrepresentable: 'any' });
  return { ...schema, $id: `slipway:/schemas/${dialect}/${type}.json`, title: `AFPS ${dialect} ${type}` };
}
