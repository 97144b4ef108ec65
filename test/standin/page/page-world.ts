import { WorldBridge } from './world-bridge.ts';

// Electron runs a preload script only in the main frame, unless told otherwise.
if (globalThis.window === globalThis.window.top) {
  const bridge = new WorldBridge('page', (key, api) => {
    Object.defineProperty(globalThis, key, {
      value: freeze(api),
      writable: false,
      configurable: false,
      enumerable: true,
    });
  });
  void bridge;
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
