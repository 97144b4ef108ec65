import { createHash } from 'node:crypto';
import { credentialFieldsOf } from '#shared/connections/credential-fields.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';
import { newConnection } from './new-connection.ts';

const PREFIX = 'open-';

/** Whether nothing has to be connected for a method: whoever asks is let in. */
function asksForNothing({ type, connect, credentialsSchema }: AuthMethod): boolean {
  return (
    type === 'custom' &&
    connect === undefined &&
    credentialsSchema !== undefined &&
    credentialFieldsOf(credentialsSchema).length === 0
  );
}

/**
 * The connection to an integration none of whose methods asks for anything, such as a local server that only
 * computes. It is kept nowhere, and is there as long as nobody has made another.
 */
export function openConnectionOf(
  { name, auths }: IntegrationManifest,
  connections: readonly Connection[],
): Connection | undefined {
  const methods = Object.entries(auths);
  const [first] = methods;
  const isOpen = methods.every(([, auth]) => asksForNothing(auth));
  if (first === undefined || !isOpen || connections.some((one) => one.integrationId === name))
    return undefined;
  const [authKey, auth] = first;
  const id = PREFIX + createHash('sha256').update(`${name}\n${authKey}`).digest('hex').slice(0, 32);
  return { ...newConnection(name, authKey, auth, { id, at: 0 }), label: 'No account needed' };
}

/** Whether an id is that of a connection which is kept nowhere; those that are kept have other ids. */
export function isOpenConnection(connectionId: string): boolean {
  return connectionId.startsWith(PREFIX);
}

/** What such a connection's requests carry. */
export const NO_CREDENTIAL: CredentialsAnswer = { fields: {}, publicFields: [] };
