import { ProblemError } from '#shared/problem.ts';
import type { ProviderKind } from '#shared/models/model.ts';

/** The header a provider takes its key in; none without a key. */
export function authorizationHeaders(kind: ProviderKind, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  switch (kind) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'google':
      return { 'x-goog-api-key': key };
    case 'walkthrough':
      return {};
    case 'openai':
    case 'openrouter':
    case 'ollama':
    case 'lmstudio':
    case 'openai-compatible':
      return { authorization: `Bearer ${key}` };
  }
}

/**
 * A key as it was pasted, without the blanks around it.
 * @throws ProblemError `model_key_malformed` when it could not be sent in a header.
 */
export function cleanKey(text: string): string {
  const key = text.trim();
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new ProblemError({
    code: 'model_key_malformed',
    title: 'This is not a key',
    detail: 'The key holds blanks, line breaks or characters that no key has.',
    action: 'Copy the key again, by itself.',
    pointer: '/key',
  });
}
