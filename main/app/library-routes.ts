import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import type { FileHandles, ShellServices } from '#main/app/shell-services.ts';
import type { GivenImport, PackageService } from '#main/library/index.ts';
import type { TypedTextService } from '#main/typed-texts/index.ts';
import type { FileEdit, ImportSource, libraryRoutes } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { readTextStart } from './read-text-start.ts';
import type { RouteHandlers } from './route-handlers.ts';

type LibraryHandlers = RouteHandlers<keyof typeof libraryRoutes>;

/** Binds the requests about packages to their service. */
export function bindLibraryRoutes(
  packages: PackageService,
  typedTexts: Pick<TypedTextService, 'forgetAll'>,
  shell: ShellServices,
): LibraryHandlers {
  return {
    'library.packages': () => packages.state(),
    'library.package': ({ name, version }) => packages.detail(name, version),
    'library.readFile': async ({ name, version, path, limit }, { signal }) => {
      const file = await packages.openFile(name, version, path);
      const content = await buffer(file.stream);
      return readTextStart(content.length, limit, signal, (start, end) =>
        Readable.from([content.subarray(start, end + 1)]),
      );
    },
    'library.compare': ({ name, from, to }) => packages.compare(name, from, to),
    'library.saveDraft': async ({ name, edits, basedOn, checkOnly }, { files }) => {
      const changes = await Promise.all(edits.map((edit) => changeOf(edit, files)));
      const { findings, ...saved } = await packages.save(name, changes, { basedOn, checkOnly });
      return { ...saved, findings: [...findings] };
    },
    'library.create': ({ type, ...identity }) => packages.create(type, identity),
    'library.catalogue': async () => ({
      entries: (await packages.catalogue()).map(({ id, displayName, description, tags, auths, source }) => ({
        name: id,
        displayName,
        description,
        tags: [...tags],
        auths: [...auths],
        source,
      })),
    }),
    'library.addFromCatalogue': ({ name }) => packages.addFromCatalogue(name),
    'library.discardDraft': async ({ name }) => {
      await packages.discardDraft(name);
      typedTexts.forgetAll(name);
      return {};
    },
    'library.publish': ({ name, version }) => packages.publish(name, version),
    'library.yank': async ({ name, version, reason }) => {
      await packages.yank(name, version, reason);
      return {};
    },
    'library.unyank': async ({ name, version }) => {
      await packages.unyank(name, version);
      return {};
    },
    'library.restore': async ({ name, version }) => {
      const { draftId, dropped } = await packages.restore(name, version);
      return { draftId, dropped: [...dropped] };
    },
    'library.tag': async ({ name, tag, version }) => {
      await packages.tag(name, tag, version);
      return {};
    },
    'library.fork': async ({ name, version, newName }) => {
      const { dropped, ...forked } = await packages.fork(name, version, newName);
      return { ...forked, dropped: [...dropped] };
    },
    'library.delete': async ({ name, version, force }) => {
      await packages.remove(name, { version, force });
      if (version === undefined) typedTexts.forgetAll(name);
      return {};
    },
    'library.previewImport': ({ source }, { files, signal }) =>
      packages.previewImport(givenImport(source, files), signal),
    'library.mendImport': ({ token, id, finding }) => packages.mendImport(token, id, finding),
    'library.commitImport': ({ token, decisions }) => packages.commitImport(token, decisions),
    'library.cancelImport': ({ token }) => {
      packages.cancelImport(token);
      return {};
    },
    'library.pickFolder': async (_input, { files }) => {
      const path = await shell.pickFolder?.();
      const canPick = shell.pickFolder !== undefined;
      return path === undefined
        ? { canPick }
        : { canPick, folder: { handle: files.registerFolder(path), path } };
    },
    'library.watchFolder': (input, { files }) =>
      packages.watchFolder(
        'handle' in input ? files.resolveFolder(input.handle) : typedFolder(input.path, shell),
      ),
    'library.unwatchFolder': async ({ path }) => {
      await packages.unwatchFolder(path);
      return {};
    },
    'library.export': (request) => packages.holdExport(request),
    'library.saveExport': async ({ token }, { signal }) => {
      const { fileName, bytes } = packages.heldExport(token);
      return { savedTo: await shell.saveFile(fileName, () => Readable.from([bytes]), signal) };
    },
    'library.signing': () => packages.signing(),
    'library.setSigning': (change) => packages.setSigning(change),
    'library.createSigningKey': () => packages.createSigningKey(),
  };
}

/**
 * The folder a person typed, where the shell cannot ask for one. A page that was taken over can name any
 * path, so where the shell can ask, only its answer counts.
 * @throws ProblemError `folder_not_chosen`, `folder_unknown`
 */
function typedFolder(text: string, shell: ShellServices): string {
  if (shell.pickFolder !== undefined) {
    throw new ProblemError({
      code: 'folder_not_chosen',
      title: 'The folder was not chosen',
      detail: 'A folder is followed only once you have chosen it in the system’s own dialog.',
      action: 'Choose the folder.',
    });
  }
  const path = text.trim().replace(/^~(?=$|[/\\])/, () => homedir());
  if (isAbsolute(path)) return path;
  throw new ProblemError({
    code: 'folder_unknown',
    title: 'No such folder',
    detail: `"${text}" is not the whole path of a folder.`,
    action: 'Write it from the root on, or from your home folder as ~/…',
  });
}

async function changeOf(
  edit: FileEdit,
  files: FileHandles,
): Promise<{ path: string; content: Buffer | undefined }> {
  const { path } = edit;
  if ('text' in edit) return { path, content: Buffer.from(edit.text) };
  if ('handle' in edit) return { path, content: await buffer(await files.resolve(edit.handle).open()) };
  return { path, content: undefined };
}

function givenImport(source: ImportSource, handles: FileHandles): GivenImport {
  if (source.kind !== 'files') return source;
  const files = source.files.map(({ handle, path }) => {
    const file = handles.resolve(handle);
    return { path: path ?? file.originalName, size: file.size, open: () => file.open() };
  });
  return { kind: 'files', files };
}
