import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { styleText } from 'node:util';
import { checkPath, packFolder } from '#main/library/index.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { ProblemError } from '#shared/problem.ts';
import { oneLine } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import type { Streams } from './streams.ts';

export interface ValidateOptions {
  readonly json: boolean;
}

export interface PackOptions {
  readonly out?: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/** Checks packages and prints what was found, as text or as one JSON object. */
export async function validateCommand(
  paths: readonly string[],
  { json }: ValidateOptions,
  { output }: Streams,
): Promise<number> {
  const findings: Finding[] = [];
  let packageCount = 0;
  for (const path of paths) {
    const report = await checkPath(path);
    packageCount += report.packageCount;
    const prefix = paths.length > 1 ? `${path.replace(/\/$/, '')}: ` : '';
    findings.push(...report.findings.map((finding) => ({ ...finding, file: prefix + finding.file })));
  }
  const ok = findings.every(({ severity }) => severity !== 'error');
  if (json) await output.json({ ok, findings });
  else await tellFindings(findings, packageCount, output);
  return ok ? EXIT.success : EXIT.failed;
}

const COLOURS = { error: 'red', warning: 'yellow', information: 'dim' } as const;

async function tellFindings(
  findings: readonly Finding[],
  packageCount: number,
  output: Streams['output'],
): Promise<void> {
  for (const { file, line, column, severity, message, code, fix, blocks } of findings) {
    const only = severity === 'error' && blocks === 'publish' ? ' (for publishing)' : '';
    const place = oneLine(`${file}:${line}:${column}`, 300);
    await output.line(
      `${place} ${styleText(COLOURS[severity], severity + only)} ${oneLine(message, 600)} [${code}]`,
    );
    if (fix !== undefined) await output.line(`  → ${oneLine(fix.title, 200)}`);
  }
  const counts = (['error', 'warning'] as const).map((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return `${count === 0 ? 'no' : count} ${severity}${count === 1 ? '' : 's'}`;
  });
  const packages = packageCount === 1 ? '1 package' : `${packageCount} packages`;
  await output.line(`${packages}: ${counts.join(', ')}`);
}

/** Makes an archive of a folder. */
export async function packCommand(folder: string, options: PackOptions, streams: Streams): Promise<number> {
  const { fileName, bytes, integrity, findings } = await packFolder(folder);
  const path = resolve(options.out ?? fileName);
  await writeArchiveFile(path, bytes, options.force);
  if (options.json) {
    await streams.output.json({ path, size: bytes.length, integrity, findings });
    return EXIT.success;
  }
  for (const { file, line, column, severity, message } of findings) {
    await streams.errors.line(`${file}:${line}:${column} ${severity} ${oneLine(message, 600)}`);
  }
  await streams.output.line(`${path}\n  ${bytes.length} bytes, ${integrity}`);
  return EXIT.success;
}

/** @throws ProblemError `file_exists`, `save_failed`. */
export async function writeArchiveFile(path: string, bytes: Buffer, force: boolean): Promise<void> {
  try {
    await writeFile(path, bytes, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const exists = code === 'EEXIST';
    throw new ProblemError(
      {
        code: exists ? 'file_exists' : 'save_failed',
        title: exists ? 'The file exists' : 'File not written',
        detail: exists
          ? `${path} exists already.`
          : `${path} could not be written (${code ?? 'unknown reason'}).`,
        action: exists ? 'Add --force to replace it, or --out to write elsewhere.' : 'Choose another place.',
      },
      { cause: error },
    );
  }
}
