import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { strict } from './strict.ts';

function unscripted(what: string): () => never {
  return () => {
    throw new Error(`${what} was used, and the test has said nothing of it.`);
  };
}

/** A test puts its own function in place of the one it expects to be called. */
export const dialog = strict('dialog', {
  showMessageBox: unscripted('dialog.showMessageBox'),
  showSaveDialog: unscripted('dialog.showSaveDialog'),
  showErrorBox(title: string, content: string) {
    process.stderr.write(`${title}\n${content}\n`);
  },
});

export const shell = strict('shell', {
  openExternal: unscripted('shell.openExternal'),
  openPath: unscripted('shell.openPath'),
});

export const screen = strict('screen', {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
});

interface MenuItem {
  readonly [name: string]: unknown;
}

let applicationMenu: { readonly items: readonly MenuItem[] } | null = null;
export const Menu = strict('Menu', {
  buildFromTemplate: (items: readonly MenuItem[]) => strict('Menu', { items }),
  setApplicationMenu: (menu: { readonly items: readonly MenuItem[] } | null) => void (applicationMenu = menu),
  getApplicationMenu: () => applicationMenu,
});

/** Lives as long as the process: enough to show that nothing is written in plain text. */
const key = randomBytes(32);
export const safeStorage = strict('safeStorage', {
  isAsyncEncryptionAvailable: () => Promise.resolve(true),
  getSelectedStorageBackend: () => process.env['STANDIN_STORAGE_BACKEND'] ?? 'gnome_libsecret',
  encryptStringAsync(text: string) {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Promise.resolve(Buffer.concat([nonce, cipher.getAuthTag(), content]));
  },
  decryptStringAsync(data: Buffer) {
    const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, 12));
    decipher.setAuthTag(data.subarray(12, 28));
    const result = Buffer.concat([decipher.update(data.subarray(28)), decipher.final()]).toString('utf8');
    return Promise.resolve({ result, shouldReEncrypt: false });
  },
});
