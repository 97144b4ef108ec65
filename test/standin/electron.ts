/** What `import … from 'electron'` gives the main bundle; a name that is missing here fails the import. */
export { app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export { ipcMain } from './ipc-main.ts';
export { dialog, Menu, safeStorage, screen, shell } from './native.ts';
export { nativeTheme } from './native-theme.ts';
export { protocol } from './protocol.ts';
export { session } from './session.ts';
