import { isRecord } from '../plain.ts';

/** What a person is asked for to connect, or undefined when the schema does not say. */
export function credentialFieldsOf(auth: Readonly<Record<string, unknown>>): string[] | undefined {
  const schema = isRecord(auth['credentials']) ? auth['credentials']['schema'] : undefined;
  return isRecord(schema) && isRecord(schema['properties']) ? Object.keys(schema['properties']) : undefined;
}
