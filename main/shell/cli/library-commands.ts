import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import type { GivenImport } from '#main/library/index.ts';
import { splitIdentity } from '#shared/manifest/identity.ts';
import { withoutRivals } from '#shared/ipc/import-rivals.ts';
import type { ImportItem, ImportPreview } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { onEndSignal } from '../end-signals.ts';
import { problemText } from '../problem-text.ts';
import { oneLine } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import { writeArchiveFile } from './package-commands.ts';
import type { Streams } from './streams.ts';
import { withApplication, type DataOptions } from './services.ts';

export interface ImportOptions extends DataOptions {
  readonly draft: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

export interface ExportOptions extends DataOptions {
  readonly out?: string | undefined;
  readonly bundle: boolean;
  readonly sign: boolean;
  readonly dialect?: '0.x' | '2.x' | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/**
 * Brings packages into the library. What would change is printed first, and nothing is taken before its
 * person agrees: at the terminal, or by `--yes`.
 * @returns 1 when a package was refused or nobody agreed
 */
export async function importCommand(
  sources: readonly string[],
  options: ImportOptions,
  streams: Streams,
): Promise<number> {
  const given = await givenImports(sources);
  return withApplication(options, async ({ packages }) => {
    const abort = new AbortController();
    using _signals = onEndSignal(() => abort.abort());
    let code: number = EXIT.success;
    for (const source of given) {
      const preview = await packages.previewImport(source, abort.signal);
      const wanted = preview.items.map((item) => ({ item, as: decisionFor(item, options.draft) }));
      const decisions = [...withoutRivals(wanted)].map(([id, as]) => ({ id, as }));
      if (!options.json) await tellPreview(preview, decisions, streams);
      if (
        preview.problems.length > 0 ||
        preview.items.some(({ choices }) => choices.length === 1 && choices[0] === 'skip')
      )
        code = EXIT.failed;
      const isWanted = decisions.some(({ as }) => as !== 'skip');
      const isAgreed = options.yes || (isWanted && !options.json && (await agrees(streams, abort.signal)));
      if (!isWanted || !isAgreed) {
        packages.cancelImport(preview.token);
        if (isWanted) code = EXIT.failed;
        if (options.json) await streams.output.json({ preview, imported: [], problems: preview.problems });
        else if (isWanted) await streams.errors.line('Nothing was imported. Add --yes to agree to this.');
        continue;
      }
      const outcome = await packages.commitImport(preview.token, decisions);
      if (outcome.problems.length > 0) code = EXIT.failed;
      if (options.json) {
        await streams.output.json({
          preview,
          ...outcome,
          problems: [...preview.problems, ...outcome.problems],
        });
        continue;
      }
      for (const { name, version, as } of outcome.imported)
        await streams.output.line(`Imported ${name} ${version}${as === 'draft' ? ' as a draft' : ''}`);
      for (const problem of outcome.problems)
        await streams.errors.line(styleText('red', problemText(problem)));
    }
    return code;
  });
}

function decisionFor({ choices }: ImportItem, wantsDraft: boolean): 'version' | 'draft' | 'skip' {
  if (wantsDraft && choices.includes('draft')) return 'draft';
  return choices[0] ?? 'skip';
}

/** Archives together, then each folder and each address by itself. */
async function givenImports(sources: readonly string[]): Promise<GivenImport[]> {
  const files: Extract<GivenImport, { kind: 'files' }>['files'][number][] = [];
  const others: GivenImport[] = [];
  for (const source of sources) {
    if (/^(?:https?:\/\/|(?:www\.)?github\.com\/)/i.test(source)) {
      others.push({ kind: 'github', url: source });
      continue;
    }
    const path = resolve(source);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) {
      const detail = `There is nothing at ${path}.`;
      throw new ProblemError({ code: 'path_unknown', title: 'No such file or folder', detail });
    }
    if (found.isDirectory()) others.push({ kind: 'folder', path });
    else
      files.push({
        path: basename(path),
        size: found.size,
        open: () => Promise.resolve(createReadStream(path)),
      });
  }
  return [...(files.length > 0 ? [{ kind: 'files', files } as const] : []), ...others];
}

async function agrees({ input, errors }: Streams, signal: AbortSignal): Promise<boolean> {
  if (!input.isTTY) return false;
  await errors.flush();
  const terminal = createInterface({ input, output: process.stderr });
  try {
    const answer = await terminal.question('Import this? [y/N] ', { signal });
    return /^y(?:es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

async function tellPreview(
  { items, problems, warnings }: ImportPreview,
  decisions: readonly { id: string; as: string }[],
  { output, errors }: Streams,
): Promise<void> {
  for (const problem of problems) await errors.line(styleText('red', problemText(problem)));
  for (const warning of warnings) await errors.line(styleText('yellow', oneLine(warning, 400)));
  for (const item of items) {
    const { name, version, type = 'unknown type', state, installedVersion, changes, findings } = item;
    const as = decisions.find(({ id }) => id === item.id)?.as ?? 'skip';
    const installed = installedVersion === undefined ? '' : `, here: ${installedVersion}`;
    const head = `${name} ${version} (${type}, ${state.replace('_', ' ')}${installed}) → ${as}`;
    await output.line(styleText('bold', oneLine(head, 300)));
    for (const { severity, file, line, column, message } of findings) {
      if (severity !== 'information')
        await output.line(`  ${severity}: ${oneLine(`${file}:${line}:${column} ${message}`, 600)}`);
    }
    for (const rival of item.rivals)
      await output.line(`  another of this name comes too, and only one is taken: ${oneLine(rival, 200)}`);
    if (as === 'draft' && item.replacesDraft) await output.line('  ~ takes the place of the draft there is');
    for (const id of item.dropped) await output.line(`  left out, it was withdrawn: ${oneLine(id, 200)}`);
    for (const { change, kind, subject, reason, through } of changes.reach) {
      const by = through === undefined ? 'it' : `${through}, which it needs,`;
      await output.line(`  ${SIGNS[change]} ${kind} ${oneLine(`${subject}: ${by} ${reason}`, 300)}`);
    }
  }
}

/** Writes a package, or a bundle of it and all it depends on, into a file. */
export async function exportCommand(
  identity: string,
  options: ExportOptions,
  { output, errors }: Streams,
): Promise<number> {
  return withApplication(options, async ({ packages }) => {
    const { name, version } = splitIdentity(identity);
    const format = options.bundle ? 'afps-bundle' : 'afps';
    const { sign, dialect } = options;
    const made = await packages.makeExport({ name, version, format, sign, dialect });
    const path = resolve(options.out ?? made.fileName);
    await writeArchiveFile(path, made.bytes, options.force);
    const { size, integrity, warnings } = made;
    if (options.json) {
      await output.json({ path, size, integrity, packages: made.packages, warnings });
      return EXIT.success;
    }
    for (const warning of warnings) await errors.line(styleText('yellow', oneLine(warning, 400)));
    await output.line(`${path}\n  ${made.packages.join(', ')}\n  ${size} bytes, ${integrity}`);
    return EXIT.success;
  });
}
