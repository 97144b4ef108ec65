import type { SchemaChecker } from '#shared/manifest/schema-checker.ts';
import { AgentLibrary } from './agent-library.ts';
import { createSchemaChecker } from './json-schema.ts';
import type { Library } from './library.ts';

export { createSchemaChecker } from './json-schema.ts';
export { validateRunInput, type CheckedInput, type GivenFile } from './run-input.ts';

/** The library over a folder of sample agents and any agent folder named by path. */
export function createLibrary(options: {
  /** Folder that holds the sample agents as `@scope/name` folders. */
  readonly samplesFolder: string;
  readonly schemaChecker?: SchemaChecker;
}): Library {
  return new AgentLibrary({ schemaChecker: createSchemaChecker(), ...options });
}
