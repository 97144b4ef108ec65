import vm from 'node:vm';
import type { ErrorObject } from 'ajv';
import { credentialFieldsOf } from '#shared/connections/credential-fields.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';

/** Milliseconds a check may take: a pattern of a package may be made never to end. */
const CHECK_MS = 1_000;

/**
 * Holds what a person typed in against the integration's schema. Optional fields that were left empty are
 * taken as not given. What comes back is text, byte for byte as it was typed.
 * @throws ProblemError `credentials_invalid`; it names fields and what they must be, never what they hold.
 */
export async function checkFields(
  auth: AuthMethod,
  given: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const schema = auth.credentialsSchema ?? { type: 'object' };
  const known = credentialFieldsOf(schema);
  const causes = Object.keys(given)
    .filter((name) => !known.some((field) => field.name === name))
    .map((name) => ({ code: 'unknown_field', detail: `There is no field "${name}".`, pointer: `/${name}` }));
  const filled = Object.fromEntries(
    Object.entries(given).filter(([name, value]) => {
      const field = known.find((one) => one.name === name);
      return value !== '' || field?.required === true;
    }),
  );
  for (const field of known) {
    if (!field.required || (filled[field.name] ?? '') !== '') continue;
    causes.push({ code: 'required', detail: `"${field.title}" is missing.`, pointer: `/${field.name}` });
  }
  if (causes.length === 0) causes.push(...(await violationsOf(schema, filled)));
  if (causes.length === 0) return filled;
  throw new ProblemError({
    code: 'credentials_invalid',
    title: 'Some fields are not right',
    detail: causes.map(({ detail }) => detail).join(' '),
    causes,
  });
}

async function violationsOf(schema: Readonly<Record<string, unknown>>, filled: Record<string, string>) {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const { default: addFormats } = await import('ajv-formats');
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, coerceTypes: true });
  addFormats.default(ajv);
  const { $schema: _dialect, ...body } = schema;
  // Coercion changes what it checks, and what was typed in must stay as it is.
  const copy = { ...filled };
  const validate = ajv.compile(body);
  try {
    vm.runInNewContext('validate(copy)', { validate, copy }, { timeout: CHECK_MS });
  } catch {
    return [{ code: 'check_too_slow', detail: 'The fields could not be checked in time.', pointer: '' }];
  }
  return (validate.errors ?? []).map((error) => ({
    code: error.keyword,
    detail: sentence(error),
    pointer: error.instancePath,
  }));
}

/** Only what the schema says; the message may not quote the value, which may be a secret. */
function sentence({ instancePath, keyword, params, message }: ErrorObject): string {
  const field = instancePath.slice(1) || 'The form';
  const rule =
    keyword === 'pattern'
      ? `must fit ${String((params as { pattern?: unknown }).pattern)}`
      : keyword === 'enum'
        ? 'must be one of the values offered'
        : (message ?? 'is not right');
  return `"${field}" ${rule}.`;
}
