import type { ShellBridge } from '#shared/ipc/frames.ts';

declare global {
  interface Window {
    /** Present in Electron, where the preload script makes it. */
    readonly slipway?: ShellBridge;
  }
}
