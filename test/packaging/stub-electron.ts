import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FuseState, FuseV1Options } from '@electron/fuses';

/** What a fuse wire in a program begins with; the fuses package keeps it to itself. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const WIRE_VERSION = 1;

/** Every fuse of the version, each the wrong way round, so that a test sees who sets it. */
const UNSET = {
  [FuseV1Options.RunAsNode]: true,
  [FuseV1Options.EnableCookieEncryption]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: true,
  [FuseV1Options.EnableNodeCliInspectArguments]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: false,
  [FuseV1Options.OnlyLoadAppFromAsar]: false,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: true,
  [FuseV1Options.WasmTrapHandlers]: true,
} satisfies Record<FuseV1Options, boolean>;

/**
 * Makes what electron-builder needs of Electron's folder for Linux: the names it copies, and a program
 * that is nothing but a fuse wire.
 */
export function writeStubElectron(folder: string, version: string): void {
  for (const name of ['resources', 'locales']) mkdirSync(join(folder, name), { recursive: true });
  const states = Object.values(UNSET).map((on) => (on ? FuseState.ENABLE : FuseState.DISABLE));
  const wire = Buffer.concat([
    Buffer.from(SENTINEL),
    Buffer.from([WIRE_VERSION, states.length, ...states]),
    Buffer.alloc(64),
  ]);
  writeFileSync(join(folder, 'electron'), wire, { mode: 0o755 });
  writeFileSync(join(folder, 'version'), version);
  for (const name of ['LICENSE', 'LICENSES.chromium.html', join('locales', 'en-US.pak')])
    writeFileSync(join(folder, name), '');
}
