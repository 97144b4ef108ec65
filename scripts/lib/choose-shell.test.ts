import { describe, expect, test } from 'vitest';
import { browserReason, browserWords, type ShellCircumstances } from './choose-shell.ts';

const desktop: ShellCircumstances = {
  platform: 'linux',
  environment: { DISPLAY: ':0' },
  userId: 1000,
  words: [],
};

describe('choosing the shell of npm start', () => {
  test('tries Electron on a desktop, also with options that both shells have', () => {
    expect(browserReason(desktop)).toBeUndefined();
    expect(browserReason({ ...desktop, words: ['--data-dir', '/tmp/x'] })).toBeUndefined();
    expect(browserReason({ ...desktop, platform: 'darwin', environment: {} })).toBeUndefined();
  });

  test.each([['--browser'], ['--no-open'], ['--port=4000'], ['--help']])(
    'keeps an option of the browser shell from reaching Electron: %s',
    (word) => expect(browserReason({ ...desktop, words: [word] })).toBe(''),
  );

  test('downloads no Electron that could not be shown, or would have to run without its sandbox', () => {
    expect(browserReason({ ...desktop, environment: {} })).toBe('');
    expect(browserReason({ ...desktop, userId: 0 })).toMatch(/root/);
  });

  test('does not pass on the word that only chooses', () => {
    expect(browserWords(['--browser', '--port', '1'])).toEqual(['--port', '1']);
  });
});
