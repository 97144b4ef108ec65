import { CURRENT_SCHEMA_VERSION } from '#shared/manifest/dialect.ts';
import { nextVersion } from '#shared/manifest/identity.ts';
import { SKILL_FILE } from '#shared/manifest/rules/skill.ts';
import { readFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { integrityOfFiles } from '../store/package-store.ts';
import type { StoredPackage } from '../store/package-index.ts';

/** Scope of a skill that comes without a manifest and without an owner. */
const OWN_SCOPE = 'local';

/**
 * Gives a skill of other tools, which has only a SKILL.md, the manifest it lacks: the version it has here
 * when nothing changed, else the next one.
 */
export function withSkillManifest(
  files: ReadonlyMap<string, Buffer>,
  scope: string | undefined,
  find: (name: string) => StoredPackage | undefined,
): ReadonlyMap<string, Buffer> {
  const { name, description } = readFrontmatter(files.get(SKILL_FILE)?.toString('utf8') ?? '') ?? {};
  const packageName = `@${slugOf(scope ?? OWN_SCOPE) || OWN_SCOPE}/${slugOf(name ?? 'skill') || 'skill'}`;
  const highest = find(packageName)?.versions[0];
  const withVersion = (version: string): Map<string, Buffer> => {
    const manifest = {
      name: packageName,
      version,
      type: 'skill',
      schema_version: CURRENT_SCHEMA_VERSION,
      ...(name === undefined ? {} : { display_name: name }),
      ...(description === undefined ? {} : { description }),
    };
    return new Map(files).set(MANIFEST_FILE, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  };
  if (highest?.version === undefined) return withVersion('1.0.0');
  const same = withVersion(highest.version);
  if (integrityOfFiles(same) === highest.integrity) return same;
  return withVersion(nextVersion(highest.version, 'patch'));
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
