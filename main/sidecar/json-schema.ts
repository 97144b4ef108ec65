import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Lines of a failed validation that a model is shown; more would bury the first. */
const MAX_LINES = 20;

const OPTIONS: Options = { allErrors: true, strict: false, logger: false };

let latest: Ajv2020 | undefined;

/** Kept, since the first schema makes it compile its own meta-schema, which takes longer than the rest. */
function latestDraft(): Ajv2020 {
  if (latest === undefined) {
    latest = new Ajv2020(OPTIONS);
    addFormats(latest);
  }
  return latest;
}

/** One way in which a value breaks its schema. */
export interface Violation {
  /** JSON pointer into the value; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Checks values against somebody's JSON Schema. */
export type SchemaValidator = (value: unknown) => readonly Violation[];

/**
 * Compiles an author's JSON Schema: 2020-12, or draft 7 where it says so itself. Keywords and formats
 * nobody knows are let pass, as the specification wants.
 * @throws Error saying what is wrong with the schema.
 */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaValidator {
  const isDraft7 = typeof schema['$schema'] === 'string' && /draft-0[67]/.test(schema['$schema']);
  const ajv = isDraft7 ? addFormats(new Ajv(OPTIONS)) : latestDraft();
  const { $schema: _dialect, ...body } = schema;
  const validate: ValidateFunction = ajv.compile(body);
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, MAX_LINES).map(toViolation);
  };
}

function toViolation(error: ErrorObject): Violation {
  const { message = 'is not valid' } = error;
  // Which name is wrong stands beside the message, not in it.
  const params = error.params as Readonly<Record<string, unknown>>;
  const extra = params['additionalProperty'] ?? params['unevaluatedProperty'];
  const allowed = params['allowedValues'] ?? params['allowedValue'];
  const detail =
    typeof extra === 'string'
      ? `${message}: "${extra}"`
      : allowed === undefined
        ? message
        : `${message}: ${JSON.stringify(allowed)}`;
  return { path: error.instancePath, message: detail };
}
