import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { openLibraries } from '#test/support/open-libraries.ts';
import { agentFiles, skillFiles } from '#test/support/test-packages.ts';
import { parseGitHubAddress } from './github-address.ts';
import { fetchGitHubFolder } from './github.ts';
import { download } from './public-download.ts';

const signal = new AbortController().signal;

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => new Error('not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.problem;
  throw error;
}

/** A body without an end and without a length. */
function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024);
  const pour = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', pour);
  };
  response.writeHead(200);
  pour();
}

/** Owner and repository; nothing for an address that is refused. */
function namesIn(address: string): string {
  try {
    const { owner, repository } = parseGitHubAddress(address);
    return owner + repository;
  } catch (error) {
    if (error instanceof ProblemError) return '';
    throw error;
  }
}

describe('the address of a repository', () => {
  it.each([
    ['https://github.com/ada/tools', 'ada/tools HEAD:'],
    ['github.com/ada/tools.git', 'ada/tools HEAD:'],
    ['https://github.com/ada/tools/tree/main', 'ada/tools main:'],
    [
      'https://www.github.com/ada/tools/tree/main/a%20b/c?x=1#y',
      'ada/tools main:a b/c main/a b:c main/a b/c:',
    ],
    [
      'https://github.com/ada/tools/blob/v1/skills/pdf/SKILL.md',
      'ada/tools v1:skills/pdf v1/skills:pdf v1/skills/pdf: v1/skills/pdf/SKILL.md:',
    ],
  ])('%s is read', (text, expected) => {
    const { owner, repository, places } = parseGitHubAddress(text);
    const shown = places.map(({ ref, path }) => `${ref}:${path}`).join(' ');
    expect(`${owner}/${repository} ${shown}`).toBe(expected);
  });

  it.each([
    'https://gitlab.com/ada/tools',
    'https://github.com.evil.example/ada/tools',
    'https://github.com@evil.example/ada/tools',
    'https://github.com/ada',
    'https://github.com/ada/..',
    'https://github.com/ada/tools/issues/1',
    'https://github.com/ada/tools/tree/main/%2e%2e/x%5Cy',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '',
  ])('%s is refused', (text) => {
    expect(() => parseGitHubAddress(text)).toThrow(ProblemError);
  });

  it('never gives more than it was given, and throws nothing but a problem', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.string(), (path, tail) => {
        expect(namesIn(`https://github.com${path}${tail}`)).toMatch(/^[A-Za-z0-9._-]*$/);
      }),
    );
  });
});

describe('a folder of a repository', () => {
  let folder: string;
  let server: Server;
  let base: string;
  const requests: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-github-'));
    const put = async (path: string, content: string | Buffer) => {
      await mkdir(dirname(join(folder, 'repository', path)), { recursive: true });
      await writeFile(join(folder, 'repository', path), content);
    };
    for (const [path, content] of agentFiles('@ada/agent')) await put(`agents/one/${path}`, content);
    for (const [path, content] of skillFiles('@ada/skill')) await put(`skills/two/${path}`, content);
    await put('skills/bare/SKILL.md', '---\nname: Bare one\ndescription: x\n---\nDo.\n');
    const withdrawn = { runtime_tools: ['log', 'report'] };
    for (const [path, content] of agentFiles('@ada/old', withdrawn)) await put(`old/${path}`, content);
    await put('README.md', 'Tools');
    // A link elsewhere in the repository is nobody's business here.
    await symlink('README.md', join(folder, 'repository', 'LINK.md'));
    const run = promisify(execFile);
    const git = (...words: string[]) =>
      run('git', [
        '-C',
        join(folder, 'repository'),
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b.example',
        ...words,
      ]);
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-q', '-m', 'x');
    await git('archive', '--format=zip', '--prefix=tools-abc/', '-o', join(folder, 'a.zip'), 'HEAD');
    const archive = await readFile(join(folder, 'a.zip'));
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const answer = (status: number, headers: Record<string, string> = {}, body: string | Buffer = '') =>
        void response.writeHead(status, headers).end(body);
      if (request.url === '/ada/tools/zip/HEAD' || request.url === '/ada/tools/zip/feature/x')
        return answer(200, {}, archive);
      if (request.url === '/ada/moved/zip/HEAD') return answer(302, { location: '/ada/tools/zip/HEAD' });
      if (request.url === '/ada/loop/zip/HEAD') return answer(302, { location: '/ada/loop/zip/HEAD' });
      if (request.url === '/ada/inside/zip/HEAD')
        return answer(302, { location: 'http://127.0.0.1:1/secret' });
      if (request.url === '/ada/other/zip/HEAD') return answer(302, { location: 'https://evil.example/x' });
      if (request.url === '/ada/busy/zip/HEAD') return answer(429);
      if (request.url === '/ada/big/zip/HEAD') return answer(200, { 'content-length': String(2 ** 40) }, '');
      if (request.url === '/ada/slow/zip/HEAD') return undefined;
      if (request.url === '/ada/endless/zip/HEAD') return flood(response);
      if (request.url === '/ada/page/zip/HEAD')
        return answer(200, { 'content-type': 'text/html' }, '<!doctype html><p>Sign in</p>');
      if (request.url === '/ada/cut/zip/HEAD') {
        response.writeHead(200, { 'content-length': String(archive.length) }).write(archive.subarray(0, 99));
        return setTimeout(() => response.destroy(), 20);
      }
      if (request.url === '/ada/broken/zip/HEAD') return answer(500, {}, 'x');
      return answer(404);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const fetchFolder = (url: string) => fetchGitHubFolder(parseGitHubAddress(url), base, signal);

  it('is read out of an archive as git makes it, links elsewhere or not', async () => {
    const { files } = await fetchFolder('https://github.com/ada/tools/tree/HEAD/agents/one');
    expect([...files.keys()].sort()).toEqual(['manifest.json', 'prompt.md']);
    expect(String(files.get('prompt.md'))).toBe('Do it.');
  });

  it('is found on a branch with a slash in its name, and behind a redirect', async () => {
    const { ref, path, files } = await fetchFolder('https://github.com/ada/tools/tree/feature/x/skills');
    expect([ref, path, files.size]).toEqual(['feature/x', 'skills', 3]);
    expect((await fetchFolder('https://github.com/ada/moved/tree/HEAD/skills/two')).files.size).toBe(2);
  });

  it('brings every package in it, and names a skill without a manifest after its owner', async () => {
    await using libraries = await openLibraries({ samplesFolder: folder, githubArchives: base });
    const url = 'https://github.com/ada/tools/tree/HEAD/skills';
    const preview = await libraries.packages.previewImport({ kind: 'github', url }, signal);
    expect(preview.items.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      '@ada/bare-one new',
      '@ada/skill new',
    ]);
    const decisions = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
    await libraries.packages.commitImport(preview.token, decisions);
    const { versions } = await libraries.packages.detail('@ada/bare-one');
    expect(versions[0]?.origin).toEqual({ kind: 'github', from: url });
  });

  it('has a tool that was withdrawn refused by its name and place, with what to do about it', async () => {
    await using libraries = await openLibraries({ samplesFolder: folder, githubArchives: base });
    const url = 'https://github.com/ada/tools/tree/HEAD/old';
    const { items } = await libraries.packages.previewImport({ kind: 'github', url }, signal);
    expect(items).toMatchObject([{ name: '@ada/old', state: 'invalid', choices: ['skip'], dropped: [] }]);
    expect(items[0]?.findings).toMatchObject([
      { code: 'runtime_tool_unknown', severity: 'error', pointer: '/runtime_tools/1' },
    ]);
    expect(items[0]?.findings[0]?.fix).toBeDefined();
  });

  it.each([
    ['ada/none', 'github_not_found'],
    ['ada/tools/tree/HEAD/no/such', 'github_folder_empty'],
    ['ada/loop', 'download_refused'],
    ['ada/inside', 'download_refused'],
    ['ada/other', 'download_refused'],
    ['ada/busy', 'github_busy'],
    ['ada/big', 'download_too_large'],
    ['ada/endless', 'download_too_large'],
    ['ada/page', 'archive_invalid'],
    ['ada/cut', 'download_failed'],
    ['ada/broken', 'github_failed'],
  ])('%s is refused with %s', async (path, code) => {
    expect((await problemOf(fetchFolder(`https://github.com/${path}`))).code).toBe(code);
  });

  it.each(['', 'archives.example', 'file:///srv/archives'])('is not looked for at "%s"', async (server) => {
    const address = parseGitHubAddress('https://github.com/ada/tools');
    const problem = await problemOf(fetchGitHubFolder(address, server, signal));
    expect(problem.code).toBe('github_archives_invalid');
  });

  it('stops when its person does', async () => {
    const abort = new AbortController();
    const waiting = fetchGitHubFolder(parseGitHubAddress('https://github.com/ada/slow'), base, abort.signal);
    setTimeout(() => abort.abort(), 50);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is never fetched from a private network, however that is written', async () => {
    const options = {
      hosts: ['github.com', 'localhost', '1', '0'],
      maxBytes: 10,
      timeoutMs: 2_000,
      signal,
    };
    const port = new URL(base).port;
    const before = requests.length;
    for (const url of [
      `${base}/ada/tools/zip/HEAD`,
      `https://127.0.0.1:${port}/`,
      `https://localhost:${port}/`,
      `https://2130706433:${port}/`,
      `https://[::1]:${port}/`,
      'https://user:password@github.com/',
    ]) {
      expect([url, (await problemOf(download(url, options))).code]).toEqual([url, 'download_refused']);
    }
    expect(requests.length).toBe(before);
  });

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'])(
    'is never fetched from a public name that stands for %s',
    async (address) => {
      const asked: string[] = [];
      const lookup = ((name: string, _options: unknown, done: (...found: unknown[]) => void) => {
        asked.push(name);
        // One good address beside it does not make the other one good.
        done(null, [
          { address: '140.82.112.10', family: 4 },
          { address, family: address.includes(':') ? 6 : 4 },
        ]);
      }) as never;
      const options = { hosts: ['github.com'], maxBytes: 10, timeoutMs: 2_000, signal, lookup };
      const problem = await problemOf(download('https://codeload.github.com/a/b/zip/HEAD', options));
      expect([problem.code, asked]).toEqual(['download_refused', ['codeload.github.com']]);
      expect(problem.detail).toContain('private network');
    },
  );
});
