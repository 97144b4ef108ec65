import { redirectUriOf, type RedirectChoice } from '#shared/connections/connection.ts';
import { credentialFieldsOf } from '#shared/connections/credential-fields.ts';
import type { AuthNeeds } from '#shared/connections/requirements.ts';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { ClientRecord } from './connection-repository.ts';

/** What connecting by one method takes of the author. */
export function describeAuth(
  authKey: string,
  auth: AuthMethod,
  integration: IntegrationManifest,
  client: ClientRecord | undefined,
  defaultRedirect: RedirectChoice,
): AuthNeeds {
  return {
    authKey,
    type: auth.type,
    way: wayOf(auth),
    required: auth.required,
    fields: auth.type === 'oauth2' ? [] : credentialFieldsOf(auth.credentialsSchema),
    defaultScopes: [...auth.defaultScopes],
    scopeCatalog: auth.scopeCatalog.map((scope) => ({ ...scope, implies: [...scope.implies] })),
    authorizedUris: [...auth.authorizedUris],
    hasDeviceFlow: auth.deviceAuthorizationEndpoint !== undefined,
    ...(auth.type === 'oauth2' && { client: describeClient(auth, integration, client, defaultRedirect) }),
  };
}

function wayOf({ type, connect }: AuthMethod): AuthNeeds['way'] {
  if (type === 'oauth2') return 'sign_in';
  if (connect?.login) return 'login';
  return connect?.tool ? 'tool' : 'fields';
}

function describeClient(
  auth: AuthMethod,
  integration: IntegrationManifest,
  client: ClientRecord | undefined,
  defaultRedirect: RedirectChoice,
): NonNullable<AuthNeeds['client']> {
  const redirect = client?.redirect ?? auth.redirect ?? defaultRedirect;
  const redirectUri = redirectUriOf(redirect);
  const isPublicByManifest = auth.tokenEndpointAuthMethod === 'none';
  const mayRegister = isPublicByManifest && integration.source.kind === 'remote';
  return {
    isManual: client ? !client.isAutomatic : !mayRegister,
    isPublicByManifest,
    ...(client && { clientId: client.clientId }),
    hasSecret: client?.hasSecret ?? false,
    isPublic: client ? client.authMethod === 'none' : isPublicByManifest,
    redirect,
    redirectUri,
    ...(auth.callbackUrlHint !== undefined && {
      hint: auth.callbackUrlHint.replaceAll('{{callback_url}}', redirectUri),
    }),
  };
}
