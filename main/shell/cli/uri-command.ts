import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { ProblemError } from '#shared/problem.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';
import { EXIT } from './exit-codes.ts';
import type { OutputStream } from './output-stream.ts';

export interface UriOptions {
  readonly json: boolean;
}

/** Only what bears on the answer is read, so that a manifest in the making can be asked as well. */
const manifestSchema = z.object({
  auths: z.record(
    z.string(),
    z.object({
      authorized_uris: z.array(z.string()).default([]),
      allow_all_uris: z.boolean().default(false),
    }),
  ),
});

/**
 * Tells whether an authentication method of an integration may be used at an address, by the rules of
 * `api_call`. Names are not resolved.
 * @param manifestPath a manifest, or the folder of its package
 * @throws ProblemError `manifest_unreadable`, `auth_unknown`
 */
export async function uriCommand(
  manifestPath: string,
  authKey: string,
  url: string,
  options: UriOptions,
  output: OutputStream,
): Promise<number> {
  const { auths } = await readManifest(manifestPath);
  const auth = Object.hasOwn(auths, authKey) ? auths[authKey] : undefined;
  if (auth === undefined) {
    throw new ProblemError({
      code: 'auth_unknown',
      title: 'There is no such authentication method',
      detail: `The manifest has no "${authKey}" under "auths"; it has ${Object.keys(auths).join(', ') || 'none'}.`,
      file: manifestPath,
    });
  }
  const policy = {
    authorizedUris: compileAuthorizedUris(auth.authorized_uris),
    allowsAllUris: auth.allow_all_uris,
  };
  const verdict = judgeTarget(parseTarget(url), policy, { substitutesCredential: false, isRedirect: false });
  if (options.json) {
    await output.json(
      verdict.allowed
        ? { allowed: true, ...(verdict.pattern !== undefined && { pattern: verdict.pattern }) }
        : { allowed: false, code: verdict.code },
    );
  } else if (verdict.allowed) {
    await output.line(`Allowed by ${verdict.pattern ?? '"allow_all_uris"'}: ${verdict.target.href}`);
  } else {
    await output.line(`Refused (${verdict.code}): ${verdict.reason}`);
  }
  return EXIT.success;
}

async function readManifest(path: string): Promise<z.infer<typeof manifestSchema>> {
  const { file, text } = await readText(path);
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw unreadable(
      file,
      `${file} is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      error,
    );
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'the manifest';
  throw unreadable(file, `${file} is no integration: at ${place}, ${issue?.message}.`, parsed.error);
}

async function readText(path: string): Promise<{ readonly file: string; readonly text: string }> {
  let file = path;
  try {
    if ((await stat(path)).isDirectory()) file = join(path, MANIFEST_FILE);
    return { file, text: await readFile(file, 'utf8') };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') {
      throw unreadable(file, `${file} cannot be read (${code}).`, error);
    }
    const detail =
      file === path ? `There is no file ${path}.` : `The folder ${path} has no ${MANIFEST_FILE}.`;
    throw unreadable(path, detail, error);
  }
}

function unreadable(file: string, detail: string, cause: unknown): ProblemError {
  return new ProblemError(
    { code: 'manifest_unreadable', title: 'The manifest cannot be read', detail, file },
    { cause },
  );
}
