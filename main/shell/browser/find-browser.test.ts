import { describe, expect, test } from 'vitest';
import { findBrowser, type BrowserSearch } from './find-browser.ts';

function search(platform: NodeJS.Platform, installed: string[], environment: Record<string, string> = {}) {
  const isExecutable = (path: string) => installed.includes(path.replaceAll('\\', '/'));
  return { platform, environment, home: '/home/ada', isExecutable } satisfies BrowserSearch;
}

describe('findBrowser', () => {
  test('prefers the browser the person named, and falls back when it is not there', () => {
    const environment = { PATH: '/usr/bin', SLIPWAY_BROWSER: '/opt/mine' };
    expect(findBrowser(search('linux', ['/usr/bin/chromium', '/opt/mine'], environment))?.path).toBe(
      '/opt/mine',
    );
    expect(findBrowser(search('linux', ['/usr/bin/chromium'], environment))?.path).toBe('/usr/bin/chromium');
  });

  test('prefers Chrome in a later folder of PATH to Edge in an earlier one', () => {
    const environment = { PATH: '/a:/b' };
    const found = findBrowser(search('linux', ['/a/microsoft-edge', '/b/google-chrome'], environment));
    expect(found?.path).toBe('/b/google-chrome');
  });

  test('gives a snap a profile where it may write', () => {
    const environment = { PATH: '/usr/bin:/snap/bin' };
    expect(findBrowser(search('linux', ['/snap/bin/chromium'], environment))).toEqual({
      path: '/snap/bin/chromium',
      confinedTo: '/home/ada/snap/chromium/common',
    });
  });

  test('finds a browser in an application of the person on macOS and in either folder of Windows', () => {
    const mac = '/home/ada/Applications/Brave Browser.app/Contents/MacOS/Brave Browser';
    expect(findBrowser(search('darwin', [mac]))?.path).toBe(mac);
    const windows = 'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe';
    const found = findBrowser(
      search('win32', [windows], {
        PROGRAMFILES: 'C:/Program Files',
        'PROGRAMFILES(X86)': 'C:/Program Files (x86)',
      }),
    );
    expect(found?.path).toBe(windows);
  });

  test('finds nothing where there is nothing', () => {
    expect(findBrowser(search('linux', [], {}))).toBeUndefined();
    expect(findBrowser(search('win32', []))).toBeUndefined();
  });
});
