import { createModelGateway, type ModelGateway, type ModelGatewayOptions } from '#main/models/index.ts';
import { createSecretStore, type SessionSecretStore } from '#main/secrets/index.ts';
import type { ProviderKind } from '#shared/models/model.ts';
import type { ModelProvider, Vendor } from '#test/peers/model-provider.ts';
import { memoryConfiguration } from './memory-configuration.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A key that must turn up nowhere but in a provider's request. */
export const CANARY_KEY = 'sk-proj-CanaryCanary0123456789abcdefXYZW';

export const kindOf: Readonly<Record<Vendor, ProviderKind>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  openrouter: 'openrouter',
  ollama: 'ollama',
  lmstudio: 'lmstudio',
  compatible: 'openai-compatible',
};

export interface TestGateway extends AsyncDisposable {
  readonly gateway: ModelGateway;
  readonly secrets: SessionSecretStore;
  readonly configuration: { text: string };
}

/** A gateway of its own, its secrets in memory. */
export function testGateway(options: Partial<ModelGatewayOptions> = {}): TestGateway {
  const directory = temporaryFolder();
  const secrets = createSecretStore({ directory, preference: 'memory' });
  const configuration = memoryConfiguration();
  const gateway = createModelGateway({ secrets, configuration, ...options });
  return { gateway, secrets, configuration, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

/** A gateway with one provider, saved with the canary key. */
export async function gatewayTo(
  vendor: Vendor,
  provider: ModelProvider,
  options: Partial<ModelGatewayOptions> = {},
): Promise<TestGateway & { providerId: string }> {
  const kind = kindOf[vendor];
  const made = testGateway({ addresses: { [kind]: provider.baseUrl }, ...options });
  const { id } = await made.gateway.save({
    kind,
    key: CANARY_KEY,
    baseUrl: provider.baseUrl,
    displayName: 'The provider',
  });
  return { ...made, providerId: id };
}
