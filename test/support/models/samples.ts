import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { PlayedFile } from './play.ts';

const samples = join(import.meta.dirname, '..', '..', '..', 'main', 'library', 'samples');

interface SampleManifest {
  readonly output: { readonly schema: Record<string, unknown> };
  readonly _meta: {
    readonly 'app.slipway/examples': {
      readonly files: Record<string, string[]>;
      readonly input: Record<string, unknown>;
    };
  };
}

/** A sample agent with its own examples. */
export interface Sample {
  readonly outputSchema: Record<string, unknown>;
  readonly exampleFiles: readonly PlayedFile[];
  readonly exampleInput: Record<string, unknown>;
  /** What the output's schema has against a value. */
  violations(output: unknown): string[];
}

export function readSample(id: string): Sample {
  const folder = join(samples, id);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as SampleManifest;
  const examples = manifest._meta['app.slipway/examples'];
  const validate = new Ajv2020({ allErrors: true }).compile(manifest.output.schema);
  return {
    outputSchema: manifest.output.schema,
    exampleInput: examples.input,
    exampleFiles: Object.entries(examples.files).flatMap(([field, paths]) =>
      paths.map((path) => ({
        field,
        name: path.slice(path.lastIndexOf('/') + 1),
        bytes: readFileSync(join(folder, path)),
      })),
    ),
    violations(output) {
      validate(output);
      return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
    },
  };
}
