import { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import { AUTH_KEY, cleanVersion, isVersionRange, META_KEY, PACKAGE_NAME } from '../identity.ts';

/**
 * The message of every check here is only what the field must be ("a number of seconds above 0"). The
 * finding makes the sentence: it knows the field, and whether it is missing or wrong.
 */

/** Text that may be empty. */
export function text(expected: string): z.ZodString {
  return z.string(expected).meta({ description: expected });
}

/** Text of at least one character. */
export function someText(expected: string): z.ZodString {
  return z.string(expected).min(1, expected).meta({ description: expected });
}

export function textMatching(pattern: RegExp, expected: string): z.ZodString {
  return z.string(expected).regex(pattern, expected).meta({ description: expected });
}

export function flag(expected: string): z.ZodBoolean {
  return z.boolean(expected).meta({ description: expected });
}

export function positiveNumber(expected: string): z.ZodNumber {
  return z.number(expected).positive(expected).meta({ description: expected });
}

export function positiveInteger(expected: string): z.ZodNumber {
  return z.int(expected).positive(expected).meta({ description: expected });
}

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values, of: string) {
  const expected = `${of}: ${values.map((value) => `"${value}"`).join(', ')}`;
  return z.enum(values, expected).meta({ description: expected });
}

export function listOf<Item extends z.ZodType>(item: Item, expected: string): z.ZodArray<Item> {
  return z.array(item, expected).meta({ description: expected });
}

export function mapOf<Value extends z.ZodType>(value: Value, expected: string) {
  return z.record(z.string(), value, expected).meta({ description: expected });
}

/** An object whose unknown members are kept, as everywhere in AFPS but in a schema wrapper. */
export function objectOf<Shape extends z.ZodRawShape>(shape: Shape, expected: string) {
  return z.looseObject(shape, expected).meta({ description: expected });
}

export const packageName = textMatching(
  PACKAGE_NAME,
  'a scoped name such as "@you/csv-report": lower-case letters, digits and inner hyphens',
);

export const authKey = textMatching(
  AUTH_KEY,
  'the key of an authentication method: lower-case letters, digits and _, a letter first',
);

const RANGE = 'a range of versions such as "^1.2.0", ">=1 <3" or "*"';
export const versionRange = text(RANGE).refine(isVersionRange, RANGE);

const VERSION = 'a semantic version such as "1.0.0"';
const version = text(VERSION).refine((value) => cleanVersion(value) !== undefined, VERSION);

const META = 'an object of objects, keyed by a namespace such as "com.example/notes"';
/** Annotations of tools and hosts; an unknown one is kept and means nothing here. */
export const meta = z
  .record(
    z
      .string()
      .regex(
        META_KEY,
        'a namespaced key such as "com.example/notes"; mcp and modelcontextprotocol are reserved',
      ),
    z.record(z.string(), z.unknown(), 'an object'),
    META,
  )
  .meta({ description: META });

const nonEmptyTexts = (expected: string) => listOf(text('text'), expected);

/** A value of the 2.x form that carries the configuration of the integration beside its range. */
const dependencyObject = objectOf(
  {
    version: versionRange,
    scopes: listOf(text('a scope'), 'a list of scopes').optional(),
    auth_key: authKey.optional(),
  },
  'an object with a version range',
);

const DEPENDENCY = `${RANGE}, or an object with it as "version"`;

function dependencyMap(dialect: Dialect, of: string) {
  const range = dialect === '2.x' ? z.union([versionRange, dependencyObject], DEPENDENCY) : versionRange;
  const expected = `an object from the scoped name of ${of} to its range of versions`;
  return z.record(packageName, range, expected).meta({ description: expected }).optional();
}

const AUTHOR = 'a name, or an object with "name" and, if wanted, "email" and "url"';
const REPOSITORY = 'the address of a repository, or an object with "type" and "url"';

/** The members every type of package has. */
export function commonShape(dialect: Dialect) {
  return {
    $schema: text('the address of a JSON Schema, for editors').optional(),
    name: packageName,
    version,
    schema_version: text('the version of the format, such as "0.2"').optional(),
    display_name: text('the name people see').optional(),
    author: z
      .union(
        [
          text('a name'),
          objectOf(
            {
              name: text('the name of the author'),
              email: text('an e-mail address').optional(),
              url: text('an address').optional(),
            },
            'an object with a name',
          ),
        ],
        AUTHOR,
      )
      .meta({ description: AUTHOR })
      .optional(),
    description: text('one sentence on what it does').optional(),
    long_description: text('text, of any length').optional(),
    license: text('an SPDX licence id such as "MIT"').optional(),
    homepage: text('an address').optional(),
    documentation: text('an address').optional(),
    support: text('an address').optional(),
    icon: text('the path of a PNG in the package, an address, or an icon id').optional(),
    icons: listOf(
      objectOf(
        {
          src: someText('the path or address of an image'),
          size: textMatching(/^\d+x\d+$/, 'a size such as "64x64"').optional(),
          theme: oneOf(['light', 'dark', 'high-contrast'], 'a theme').optional(),
        },
        'an object with "src"',
      ),
      'a list of icons',
    ).optional(),
    keywords: nonEmptyTexts('a list of words').optional(),
    screenshots: nonEmptyTexts('a list of paths or addresses').optional(),
    privacy_policies: nonEmptyTexts('a list of addresses').optional(),
    repository: z
      .union(
        [
          someText('an address'),
          objectOf(
            {
              type: someText('the kind of repository, such as "git"'),
              url: someText('the address of the repository'),
              directory: text('a folder in it').optional(),
            },
            'an object with "type" and "url"',
          ),
        ],
        REPOSITORY,
      )
      .meta({ description: REPOSITORY })
      .optional(),
    compatibility: objectOf(
      {
        platforms: listOf(
          oneOf(['darwin', 'win32', 'linux'], 'a platform'),
          'a list of platforms',
        ).optional(),
        runtimes: mapOf(text('a range of versions'), 'an object from a runtime to its versions').optional(),
        clients: mapOf(text('a range of versions'), 'an object from a client to its versions').optional(),
      },
      'an object with platforms, runtimes and clients',
    ).optional(),
    dependencies: objectOf(
      {
        skills: dependencyMap(dialect, 'a skill'),
        mcp_servers: dependencyMap(dialect, 'an MCP server'),
        integrations: dependencyMap(dialect, 'an integration'),
      },
      'an object with "skills", "mcp_servers" and "integrations"',
    ).optional(),
    _meta: meta.optional(),
  };
}

/** JSON Schema of the values asked for or given back, with what a form needs beside it. */
export const schemaWrapper = objectOf(
  {
    schema: objectOf(
      {
        type: z.literal('object', '"object"').meta({ description: '"object": values are named' }),
        properties: mapOf(z.unknown(), 'an object from the name of a value to its JSON Schema'),
      },
      'a JSON Schema of type "object" with "properties"',
    ),
    file_constraints: mapOf(
      objectOf(
        {
          accept: text('file types such as ".csv,text/csv"').optional(),
          max_size: positiveNumber('a number of bytes above 0').optional(),
        },
        'an object with "accept" and "max_size"',
      ),
      'an object from a file field to its limits',
    ).optional(),
    ui_hints: mapOf(
      objectOf({ placeholder: text('text').optional() }, 'an object with "placeholder"'),
      'an object from a field to its hints',
    ).optional(),
    property_order: listOf(text('the name of a field'), 'a list of field names').optional(),
    _meta: meta.optional(),
  },
  'an object with a JSON Schema as "schema"',
);
