import { CURRENT_SCHEMA_VERSION } from '../manifest/dialect.ts';
import { likelyVersion, PACKAGE_NAME } from '../manifest/identity.ts';
import { isRecord } from '../manifest/plain.ts';

/** Scope of a bundle whose author cannot be named. */
const OWN_SCOPE = 'local';

/**
 * Whether a manifest is that of an MCP bundle (`.mcpb`, earlier `.dxt`) made elsewhere: it has the vocabulary
 * of a server, but neither a package's type nor a package's name.
 */
export function isBundleManifest(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value) || value['type'] !== undefined) return false;
  return isRecord(value['server']) && ('manifest_version' in value || 'dxt_version' in value);
}

/**
 * The same as a package of type `mcp-server`: with a name under its author's scope, and all else as it was
 * (reference: afps, section 5).
 */
export function packageManifestOf(bundle: Record<string, unknown>): Record<string, unknown> {
  const {
    name,
    version,
    dxt_version: earlier,
    manifest_version: own,
    user_config: settings,
    ...rest
  } = bundle;
  const author = isRecord(rest['author']) ? rest['author']['name'] : rest['author'];
  const slug = slugOf(name) || 'server';
  return {
    name:
      typeof name === 'string' && PACKAGE_NAME.test(name) ? name : `@${slugOf(author) || OWN_SCOPE}/${slug}`,
    version: typeof version === 'string' ? likelyVersion(version) : '1.0.0',
    type: 'mcp-server',
    schema_version: CURRENT_SCHEMA_VERSION,
    ...(rest['display_name'] === undefined && typeof name === 'string' && { display_name: name }),
    manifest_version: versionOf(own ?? earlier),
    ...rest,
    ...(isRecord(settings) && { user_config: titled(settings) }),
  };
}

/** The first versions had three numbers. */
function versionOf(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^(\d+\.\d+)\.\d+$/, '$1') : value;
}

/** Bundles may leave out what people see; a package may not. */
function titled(settings: Record<string, unknown>): Record<string, unknown> {
  const named = Object.entries(settings).map(([key, setting]) => [
    key,
    isRecord(setting) && setting['title'] === undefined ? { ...setting, title: key } : setting,
  ]);
  return Object.fromEntries(named) as Record<string, unknown>;
}

function slugOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}
