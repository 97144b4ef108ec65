import type { Tone } from '#renderer/components/badge.tsx';
import { hasEnded, type Connection } from '#shared/connections/connection.ts';
import type { AuthNeeds } from '#shared/connections/requirements.ts';

/** What people call a way of connecting. */
export function methodName({ type, way }: Pick<AuthNeeds, 'type' | 'way'>): string {
  switch (type) {
    case 'oauth2':
      return 'Sign in with the browser';
    case 'api_key':
      return 'API key';
    case 'basic':
      return way === 'login' ? 'User name and password, traded for a session' : 'User name and password';
    case 'mtls':
      return 'Client certificate';
    case 'custom':
      return way === 'login' ? 'Sign in with your fields' : 'Fields of the service';
  }
}

/** How a connection does, in a word or two. */
export function connectionState(
  connection: Pick<Connection, 'state' | 'lostScopes' | 'expiresAt' | 'renewable' | 'problem'>,
  now: number,
): { readonly tone: Tone; readonly text: string } {
  const { state, lostScopes, problem } = connection;
  if (state === 'needs_sign_in') return { tone: 'danger', text: 'Needs a new sign-in' };
  if (hasEnded(connection, now)) return { tone: 'danger', text: 'Expired' };
  if (lostScopes.length > 0) return { tone: 'caution', text: 'Allows less than before' };
  if (problem) return { tone: 'caution', text: 'Had a problem' };
  return { tone: 'success', text: 'Connected' };
}
