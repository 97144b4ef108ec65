import type { Redactor } from '#main/logging/index.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';

/** A store that makes every secret it hands out or takes in known to the redactor first. */
export function protectingSecrets<Store extends SecretStore>(store: Store, redactor: Redactor): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'get') {
        return async (secretName: string) => {
          const value = await target.get(secretName);
          if (value !== undefined) redactor.protect(value);
          return value;
        };
      }
      if (name === 'set') {
        return (secretName: string, value: string) => {
          redactor.protect(value);
          return target.set(secretName, value);
        };
      }
      if (name === 'unlock') {
        return (passphrase: string) => {
          redactor.protect(passphrase);
          return target.unlock(passphrase);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
