import { PACKAGE_NAME } from '#shared/manifest/identity.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { ProblemError } from '#shared/problem.ts';
import { agentFiles } from './agent.ts';
import { integrationFiles } from './integration.ts';
import { mcpServerFiles } from './mcp-server.ts';
import { skillFiles } from './skill.ts';
import type { NewPackage, PackageText } from './new-package.ts';

export type { NewPackage, PackageText } from './new-package.ts';

const TEMPLATES: Readonly<Record<PackageType, (identity: NewPackage) => PackageText>> = {
  agent: agentFiles,
  skill: skillFiles,
  integration: integrationFiles,
  'mcp-server': mcpServerFiles,
};

/**
 * The files a new package starts from, by their path: a working example of its type, to be changed.
 * @throws ProblemError `package_name_invalid` when the name is not `@scope/name`.
 */
export function newPackageFiles(type: PackageType, identity: NewPackage): PackageText {
  if (!PACKAGE_NAME.test(identity.name)) {
    throw new ProblemError({
      code: 'package_name_invalid',
      title: 'This cannot be a name',
      detail: `"${identity.name}" is not of the form @scope/name, of lower-case letters, digits and inner hyphens.`,
      action: 'Write a name such as "@you/weekly-report".',
    });
  }
  return TEMPLATES[type](identity);
}
