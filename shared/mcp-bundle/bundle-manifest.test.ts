import { describe, expect, it } from 'vitest';
import { validateManifest } from '../manifest/validate.ts';
import { isBundleManifest, packageManifestOf } from './bundle-manifest.ts';

const BUNDLE = {
  manifest_version: '0.3',
  name: 'File Reader',
  version: '2.1.0',
  description: 'Reads files.',
  author: { name: 'Ada Lovelace', url: 'https://example.com' },
  server: {
    type: 'node',
    entry_point: 'server/index.js',
    mcp_config: { command: 'node', args: ['${__dirname}/server/index.js'], env: { K: '${user_config.key}' } },
  },
  tools: [{ name: 'read', description: 'Reads.' }],
  prompts: [{ name: 'sum', text: 'Sum up.' }],
  user_config: { key: { type: 'string', sensitive: true, required: true } },
};

describe('a bundle made elsewhere', () => {
  it('is told from a package', () => {
    expect(isBundleManifest(BUNDLE)).toBe(true);
    expect(isBundleManifest({ ...BUNDLE, type: 'mcp-server' })).toBe(false);
    expect(isBundleManifest({ name: 'x', type: undefined })).toBe(false);
    expect(isBundleManifest(null)).toBe(false);
  });

  it('becomes a package without an error, and loses nothing', () => {
    const manifest = packageManifestOf(BUNDLE);
    expect(manifest).toMatchObject({
      name: '@ada-lovelace/file-reader',
      version: '2.1.0',
      type: 'mcp-server',
      display_name: 'File Reader',
      prompts: BUNDLE.prompts,
      tools: BUNDLE.tools,
      user_config: { key: { title: 'key', sensitive: true } },
    });
    const { findings } = validateManifest(JSON.stringify(manifest), { direction: 'author' });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('of the earlier form has its version under the earlier name', () => {
    const { manifest_version: version, author: _, ...rest } = BUNDLE;
    expect(packageManifestOf({ dxt_version: `${version}.1`, ...rest })).toMatchObject({
      name: '@local/file-reader',
      manifest_version: '0.3',
    });
  });
});
