import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Finding } from '#shared/manifest/finding.ts';
import { editJson } from '#shared/manifest/json-edit.ts';
import { rewriteDialect } from '#shared/manifest/rewrite-dialect.ts';
import { toolCatalogOf } from '#shared/manifest/tool-catalog.ts';
import { validateManifest } from '#shared/manifest/validate.ts';
import { readArchive } from './read-archive.ts';
import { writeArchive } from './write-archive.ts';

const packages = new URL('../../../test/fixtures/packages/', import.meta.url);

async function archivesIn(folder: string): Promise<{ name: string; bytes: Buffer }[]> {
  const names = (await readdir(new URL(folder, packages))).sort();
  return Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(new URL(`${folder}/${name}`, packages)) })),
  );
}

async function manifestIn(bytes: Buffer): Promise<string> {
  const { files } = await readArchive(bytes);
  expect([...files.keys()]).toEqual(['manifest.json']);
  return files.get('manifest.json')?.toString('utf8') ?? '';
}

function check(text: string) {
  return validateManifest(text, { direction: 'author' });
}

function errors(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ severity }) => severity === 'error');
}

describe('packages published by others', () => {
  it('are all read, with nothing worse than a warning', async () => {
    const archives = await archivesIn('integrations');
    expect(archives).toHaveLength(30);
    for (const { name, bytes } of archives) {
      const report = check(await manifestIn(bytes));
      expect([name, errors(report.findings), report.manifest?.type]).toEqual([name, [], 'integration']);
    }
  });

  it('keep their meaning when they are written as 2.x and back', async () => {
    for (const { name, bytes } of await archivesIn('integrations')) {
      const text = await manifestIn(bytes);
      const there = rewriteDialect(JSON.parse(text) as Record<string, unknown>, '2.x').manifest;
      const report = check(JSON.stringify(there));
      expect([name, errors(report.findings), report.manifest?.dialect]).toEqual([name, [], '2.x']);
      const back = check(JSON.stringify(rewriteDialect(there, '0.x').manifest)).manifest;
      expect([name, back]).toEqual([name, check(text).manifest]);
    }
  });

  it('come out of our own archives with every byte they had', async () => {
    for (const { bytes } of await archivesIn('integrations')) {
      const { files } = await readArchive(bytes);
      expect((await readArchive(await writeArchive(files))).files).toEqual(files);
    }
  });

  it.each([
    ['integration-google-drive-1.0.2.afps', ['api_call'], ['google-resumable']],
    ['integration-github-git-1.0.2.afps', [], []],
    ['integration-slack-1.0.2.afps', ['api_call'], []],
  ])('%s offers what it is known to offer', async (name, tools, protocols) => {
    const { manifest } = check(await manifestIn(await readFile(new URL(`integrations/${name}`, packages))));
    if (manifest?.type !== 'integration') throw new Error('no integration');
    expect(toolCatalogOf(manifest).names).toEqual(tools);
    expect(Object.values(manifest.apiAuths).flat()).toEqual(protocols);
  });

  it('have the scopes, separators and methods that are known of them', async () => {
    const read = async (name: string) => {
      const { manifest } = check(await manifestIn(await readFile(new URL(`integrations/${name}`, packages))));
      if (manifest?.type !== 'integration') throw new Error('no integration');
      return manifest;
    };
    const github = await read('integration-github-mcp-1.1.1.afps');
    expect(Object.keys(github.auths)).toEqual(['oauth', 'pat']);
    expect(Object.keys(github.toolScopes)).toHaveLength(89);
    const separators = ['linear-1.0.2', 'pinterest-1.0.3', 'slack-1.0.2', 'wrike-1.0.3', 'zoho-crm-1.0.2'];
    for (const name of separators) {
      const { auths } = await read(`integration-${name}.afps`);
      expect([name, Object.values(auths)[0]?.scopeSeparator]).toEqual([name, ',']);
    }
  });

  it('of the withdrawn type are refused by name, and converted without an error', async () => {
    const archives = await archivesIn('legacy');
    expect(archives).toHaveLength(10);
    for (const { name, bytes } of archives) {
      const text = await manifestIn(bytes);
      const { findings, manifest } = check(text);
      expect([name, manifest, findings.map(({ code }) => code)]).toEqual([
        name,
        undefined,
        ['dialect_legacy'],
      ]);
      expect(findings[0]?.message).toMatch(/AFPS 1\.x.*integration today/);
      const after = check(editJson(text, findings[0]?.fix?.edits ?? []));
      expect([name, errors(after.findings), after.manifest?.type]).toEqual([name, [], 'integration']);
    }
  });
});
