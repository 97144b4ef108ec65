import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import {
  authKey,
  commonShape,
  listOf,
  objectOf,
  positiveInteger,
  positiveNumber,
  schemaWrapper,
  someText,
  text,
} from './common.ts';

const TOOLS = 'a list of tool names, or "*" for every tool of the integration';

const configuration = objectOf(
  {
    tools: z
      .union([z.literal('*', TOOLS), listOf(someText('the name of a tool'), TOOLS)], TOOLS)
      .meta({ description: TOOLS })
      .optional(),
    scopes: listOf(someText('a scope'), 'a list of scopes').optional(),
    auth_key: authKey.optional(),
  },
  'an object with "tools", "scopes" and "auth_key"',
);

const CONFIGURATIONS = 'an object from the scoped name of an integration to what the agent takes of it';

/** Shape of an agent's manifest. */
export function agentSchema(dialect: Dialect) {
  return objectOf(
    {
      ...commonShape(dialect),
      type: z.literal('agent', '"agent"'),
      schema_version: text('the version of the format, such as "0.2"'),
      display_name: someText('the name people see'),
      input: schemaWrapper.optional(),
      output: schemaWrapper.optional(),
      config: schemaWrapper.optional(),
      timeout: positiveNumber('a number of seconds above 0').optional(),
      runtime_tools: listOf(text('the id of a runtime tool'), 'a list of runtime tools').optional(),
      integrations_configuration: z
        .record(z.string(), configuration, CONFIGURATIONS)
        .meta({ description: CONFIGURATIONS })
        .optional(),
    },
    'an object',
  );
}

export const RESOURCES_KEY = 'dev.appstrate/resources';

/** Shape of `_meta["dev.appstrate/resources"]`: what the agent asks of its sandbox. */
export const resourcesSchema = z
  .strictObject(
    {
      memory_mb: positiveInteger('a whole number of mebibytes above 0').optional(),
      cpu: positiveInteger('a whole number of processors above 0').optional(),
    },
    'an object with "memory_mb" and "cpu"',
  )
  .refine((value) => Object.keys(value).length > 0, 'an object with "memory_mb" or "cpu"');

export const EXAMPLES_KEY = 'app.slipway/examples';

/** Shape of `_meta["app.slipway/examples"]`: files and values that make a first run work. */
export const examplesSchema = objectOf(
  {
    files: z
      .record(
        z.string(),
        listOf(someText('the path of a file of the package'), 'a list of paths'),
        'an object from a file field to a list of paths',
      )
      .optional(),
    input: z.record(z.string(), z.unknown(), 'an object from a field to its value').optional(),
  },
  'an object with "files" and "input"',
);
