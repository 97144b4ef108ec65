import { describe, expect, it } from 'vitest';
import { createAjv } from '#main/library/json-schema.ts';
import { agent, agentCases, older } from '#test/support/manifest-cases/agent.ts';
import {
  integration,
  integrationCases,
  local,
  olderIntegration,
  remote,
} from '#test/support/manifest-cases/integration.ts';
import { mcpServer, mcpServerCases, skill } from '#test/support/manifest-cases/others.ts';
import { isPackageType, readDialect } from '../dialect.ts';
import { isRecord } from '../plain.ts';
import { manifestJsonSchema } from './index.ts';

const ajv = createAjv();

/** Whether a manifest fits the JSON Schema of its own type and dialect. */
function fits(text: string): boolean {
  const manifest: unknown = JSON.parse(text);
  if (!isRecord(manifest) || !isPackageType(manifest['type'])) throw new Error(`no type: ${text}`);
  const reading = readDialect(manifest['schema_version']);
  if (reading.kind !== 'read') throw new Error(`no dialect: ${text}`);
  const schema = manifestJsonSchema(manifest['type'], reading.dialect);
  const validate = ajv.getSchema(String(schema['$id'])) ?? ajv.compile(schema);
  return validate(manifest) === true;
}

describe('the JSON Schemas of manifests', () => {
  it('take every good manifest', () => {
    for (const text of [agent, older, skill, mcpServer, integration, local, remote, olderIntegration]) {
      expect(fits(text)).toBe(true);
    }
  });

  it('refuse every wrong shape that the structure check refuses', () => {
    // What JSON Schema cannot say, and what is held against shapes of their own.
    const beyond =
      /^\/version$|^\/schema_version$|@you~1mail|\/server\/version$|_meta\/(dev|app)|\/login\/outputs\//;
    const shapes = [...agentCases, ...integrationCases, ...mcpServerCases].filter(
      ({ code, pointer }) =>
        /^(field_missing|field_type|field_value|key_invalid)$/.test(code) && !beyond.test(pointer),
    );
    expect(shapes.length).toBeGreaterThan(80);
    for (const test of shapes) expect({ ...test, fits: fits(test.text) }).toEqual({ ...test, fits: false });
  });

  it('describe every member an author can complete', () => {
    const { properties } = manifestJsonSchema('agent', '0.x') as {
      properties: Record<string, { description?: string }>;
    };
    const bare = Object.entries(properties).filter(([, schema]) => schema.description === undefined);
    expect(bare.map(([name]) => name)).toEqual(['type']);
  });
});
