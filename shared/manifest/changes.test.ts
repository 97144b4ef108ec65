import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { integrationFiles, serverFiles, agentFiles } from '#test/support/test-packages.ts';
import { fileChanges, isWidening, reachChanges } from './changes.ts';
import { hostOf, reachOf, type ReachItem } from './reach.ts';
import { withoutRetired } from './retired.ts';
import { validateManifest, type PackageManifest } from './validate.ts';

function manifestOf(files: ReadonlyMap<string, Buffer>): PackageManifest {
  const { manifest, findings } = validateManifest(String(files.get('manifest.json')), {
    direction: 'author',
  });
  if (manifest === undefined) throw new Error(findings[0]?.message);
  return manifest;
}

function reach(
  files: ReadonlyMap<string, Buffer>,
  listed: { path: string; digest: string }[] = [],
): ReachItem[] {
  return reachOf({ manifest: manifestOf(files), files: listed });
}

function lines(items: readonly ReachItem[]): string[] {
  return items.map(({ kind, subject }) => `${kind} ${subject}`);
}

describe('what a package may reach', () => {
  it('names the hosts, credentials, scopes and tools of an integration, with the reason', () => {
    const items = reach(integrationFiles('@you/mail'));
    expect(lines(items)).toEqual([
      'host api.mail.example',
      'host login.mail.example',
      'credential main: oauth2',
      'scope main: read',
      'tool api_call',
    ]);
    expect(items[0]?.reason).toBe('may send the credential "main" to https://api.mail.example/**');
  });

  it('names the program, the code and the workspace of a server', () => {
    const server = serverFiles('@you/server', { _meta: { 'dev.appstrate/workspace': { access: 'rw' } } });
    const items = reach(server, [
      { path: 'server.js', digest: 'a' },
      { path: 'README.md', digest: 'b' },
      { path: 'lib/x.py', digest: 'c' },
    ]);
    expect(lines(items)).toEqual([
      'tool look',
      'script node server.js',
      'script the workspace of runs',
      'script server.js',
      'script lib/x.py',
    ]);
  });

  it('names what an agent takes of its integrations', () => {
    const items = reach(
      agentFiles('@you/a', {
        runtime_tools: ['log'],
        dependencies: { integrations: { '@you/x': '^1', '@you/y': '*', '@you/z': '*' } },
        integrations_configuration: {
          '@you/x': { tools: ['go'], scopes: ['s'], auth_key: 'main' },
          '@you/y': { tools: '*' },
        },
      }),
    );
    expect(lines(items)).toEqual([
      'credential @you/x: main',
      'scope @you/x: s',
      'tool log',
      'tool @you/x: go',
      'tool @you/y: any tool of the server',
      'tool @you/z: its default tools',
      'dependency @you/x',
      'dependency @you/y',
      'dependency @you/z',
    ]);
  });

  it.each([
    ['https://api.x.com/v1/**', 'api.x.com'],
    ['https://*.x.com/**', '*.x.com'],
    ['https://**', 'any host'],
    ['https://user@X.com:8443/', 'x.com:8443'],
    ['api.x.com', 'api.x.com'],
  ])('takes the host of %s to be %s', (uri, host) => expect(hostOf(uri)).toBe(host));
});

describe('what changes', () => {
  it('finds a wider path on the same host, another way to hand a credential over, and a changed script', () => {
    const before = integrationFiles('@you/mail');
    const text = String(before.get('manifest.json'));
    const after = new Map(before).set(
      'manifest.json',
      Buffer.from(
        text.replace('mail.example/**', 'mail.example/v1/**').replace('"Authorization"', '"X-Key"'),
      ),
    );
    const changes = reachChanges(
      reach(before, [{ path: 'scripts/a.sh', digest: '1' }]),
      reach(after, [{ path: 'scripts/a.sh', digest: '2' }]),
    );
    expect(changes.map(({ change, kind, subject }) => `${change} ${kind} ${subject}`)).toEqual([
      'changed host api.mail.example',
      'changed credential main: oauth2',
      'changed script scripts/a.sh',
    ]);
    expect(changes.every(isWidening)).toBe(true);
  });

  it('is nothing for the same, everything for a new package, and mirrors itself', () => {
    const item = fc.record({
      kind: fc.constantFrom('host' as const, 'tool' as const),
      subject: fc.constantFrom('a', 'b', 'c'),
      reason: fc.constant(''),
      mark: fc.constantFrom('1', '2'),
    });
    const items = fc.uniqueArray(item, { selector: ({ kind, subject }) => kind + subject });
    fc.assert(
      fc.property(items, items, (a, b) => {
        expect(reachChanges(a, a)).toEqual([]);
        expect(reachChanges([], a)).toHaveLength(a.length);
        const count = (from: ReachItem[], to: ReachItem[], change: string) =>
          reachChanges(from, to).filter((entry) => entry.change === change).length;
        expect(count(a, b, 'added')).toBe(count(b, a, 'removed'));
        expect(count(a, b, 'changed')).toBe(count(b, a, 'changed'));
      }),
    );
  });

  it('lists files by what became of them', () => {
    const before = [
      { path: 'a', digest: '1' },
      { path: 'b', digest: '1' },
    ];
    const after = [
      { path: 'b', digest: '2' },
      { path: 'c', digest: '1' },
    ];
    expect(fileChanges(before, after)).toEqual([
      { path: 'a', change: 'removed' },
      { path: 'b', change: 'changed' },
      { path: 'c', change: 'added' },
    ]);
  });
});

describe('what was withdrawn', () => {
  it('is taken out of a manifest and nothing else is touched', () => {
    const text =
      '{\n  "z": 1,\n  "runtime_tools": ["report", "publish_document"],\n  "dependencies": { "tools": {}, "x": {} }\n}\n';
    const { text: cleaned, dropped } = withoutRetired(text);
    expect(dropped).toEqual(['runtime_tools: report', 'dependencies.tools']);
    expect(JSON.parse(cleaned)).toEqual({
      z: 1,
      runtime_tools: ['publish_document'],
      dependencies: { x: {} },
    });
    expect(cleaned.startsWith('{\n  "z": 1,')).toBe(true);
  });

  it('takes the list with it when nothing is left of it, and leaves a good manifest as it is', () => {
    expect(JSON.parse(withoutRetired('{"runtime_tools":["report"]}').text)).toEqual({});
    const good = '{ "runtime_tools": ["log"] }';
    expect(withoutRetired(good)).toEqual({ text: good, dropped: [] });
  });
});
