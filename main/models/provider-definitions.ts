import type { ModelApi, ProviderKind } from '#shared/models/model.ts';

/** What is fixed about a kind of provider. */
export interface ProviderDefinition {
  readonly displayName: string;
  /** Empty where the author has to give one. */
  readonly baseUrl: string;
  readonly baseUrlEditable: boolean;
  readonly keyRequirement: 'none' | 'optional' | 'required';
  /** API of a model that the catalogue does not know. */
  readonly api: ModelApi;
  /** Bills nothing, since it runs on the author's own machine. */
  readonly isLocal: boolean;
}

/** Every kind of provider, in the order the settings show them. */
export const PROVIDER_DEFINITIONS: Readonly<Record<ProviderKind, ProviderDefinition>> = {
  walkthrough: {
    displayName: 'Walkthrough (scripted)',
    baseUrl: '',
    baseUrlEditable: false,
    keyRequirement: 'none',
    api: 'openai-completions',
    isLocal: true,
  },
  anthropic: {
    displayName: 'Anthropic',
    baseUrl: 'https://api.anthropic.com',
    baseUrlEditable: false,
    keyRequirement: 'required',
    api: 'anthropic-messages',
    isLocal: false,
  },
  openai: {
    displayName: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    baseUrlEditable: false,
    keyRequirement: 'required',
    api: 'openai-responses',
    isLocal: false,
  },
  google: {
    displayName: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlEditable: false,
    keyRequirement: 'required',
    api: 'google-generative-ai',
    isLocal: false,
  },
  openrouter: {
    displayName: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlEditable: false,
    keyRequirement: 'required',
    api: 'openai-completions',
    isLocal: false,
  },
  ollama: {
    displayName: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    baseUrlEditable: true,
    keyRequirement: 'optional',
    api: 'openai-completions',
    isLocal: true,
  },
  lmstudio: {
    displayName: 'LM Studio',
    baseUrl: 'http://127.0.0.1:1234/v1',
    baseUrlEditable: true,
    keyRequirement: 'optional',
    api: 'openai-completions',
    isLocal: true,
  },
  'openai-compatible': {
    displayName: 'OpenAI-compatible server',
    baseUrl: '',
    baseUrlEditable: true,
    keyRequirement: 'optional',
    api: 'openai-completions',
    isLocal: false,
  },
};

/** Kinds of which there is exactly one provider, whose id is the kind. */
export const BUILT_IN_KINDS = Object.keys(PROVIDER_DEFINITIONS).filter(
  (kind) => kind !== 'openai-compatible',
) as Exclude<ProviderKind, 'openai-compatible'>[];

/** Name of a provider's key in the secret store. */
export function secretName(providerId: string): string {
  return `model-provider/${providerId}`;
}
