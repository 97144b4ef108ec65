import { app, Menu, shell, type MenuItemConstructorOptions } from 'electron';

/** Sets the app's menu, with the accelerators a person of the platform expects. */
export function setMenu(options: { dataDirectory: string; developerTools: boolean }): void {
  const isMac = process.platform === 'darwin';
  const template: MenuItemConstructorOptions[] = [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    { label: '&File', submenu: [isMac ? { role: 'close' } : { role: 'quit' }] },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        { role: 'reload' },
        ...(options.developerTools ? [{ role: 'toggleDevTools' } as const] : []),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        {
          label: 'Open data folder',
          click: () => void shell.openPath(options.dataDirectory),
        },
        ...(isMac ? [] : [{ type: 'separator' } as const, { role: 'about' } as const]),
      ],
    },
  ];
  app.setAboutPanelOptions({ applicationName: 'Slipway', applicationVersion: app.getVersion() });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
