import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeArchive } from '#main/library/archive/write-archive.ts';

/** A server of repositories' archives, in the place of GitHub's own. */
export interface GitHubArchives extends AsyncDisposable {
  readonly base: string;
  /** Paths that were asked for. */
  readonly requests: readonly string[];
  /** Gives a repository other files from now on. */
  put(repository: string, ref: string, files: Readonly<Record<string, string>>): Promise<void>;
}

/** Serves archives as GitHub makes them: one folder, named after the repository, around everything. */
export async function serveGitHubArchives(): Promise<GitHubArchives> {
  const archives = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    requests.push(path);
    const archive = archives.get(path);
    if (archive === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'application/zip' }).end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async put(repository, ref, files) {
      const folder = `${repository.split('/')[1] ?? ''}-${ref}`;
      const inside = Object.entries(files).map(
        ([path, text]) => [`${folder}/${path}`, Buffer.from(text)] as const,
      );
      archives.set(`/${repository}/zip/${ref}`, await writeArchive(new Map(inside)));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
