import { safeStorage } from 'electron';
import type { SystemCipher } from '#main/secrets/index.ts';

/**
 * Electron's use of the system's key store. On Linux without one, Electron would encrypt with a fixed
 * password; that is no protection, so it counts as not available. Call when the app is ready.
 */
export async function createSystemCipher(): Promise<SystemCipher> {
  const backend = backendName();
  const available = backend !== undefined && (await safeStorage.isAsyncEncryptionAvailable());
  return {
    backend: backend ?? 'none',
    isAvailable: () => available,
    encrypt: (plainText) => safeStorage.encryptStringAsync(plainText),
    decrypt: async (encrypted) => (await safeStorage.decryptStringAsync(Buffer.from(encrypted))).result,
  };
}

function backendName(): string | undefined {
  switch (process.platform) {
    case 'darwin':
      return 'keychain';
    case 'win32':
      return 'dpapi';
    default: {
      const backend = safeStorage.getSelectedStorageBackend();
      return backend === 'basic_text' || backend === 'unknown' ? undefined : backend;
    }
  }
}
