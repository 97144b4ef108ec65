import { strict } from '../strict.ts';
import { decode, encode } from './codec.ts';
import { WorldBridge } from './world-bridge.ts';

/** Installed in this world only; takes a text to the process that stands for Electron's main. */
declare const standinToMain: (text: string) => void;

type Listener = (event: unknown, ...args: unknown[]) => void;

const bridge = new WorldBridge('preload');
const listeners = new Map<string, Set<Listener>>();
const pending = new Map<number, PromiseWithResolvers<unknown>>();
const files = new Map<number, File>();
let nextId = 1;

const ipcRenderer = strict('ipcRenderer', {
  send(channel: string, ...args: unknown[]) {
    standinToMain(encode({ kind: 'send', channel, args }));
  },
  invoke(channel: string, ...args: unknown[]) {
    const id = nextId++;
    const answer = Promise.withResolvers<unknown>();
    pending.set(id, answer);
    standinToMain(encode({ kind: 'invoke', id, channel, args }));
    return answer.promise;
  },
  on(channel: string, listener: Listener) {
    const all = listeners.get(channel) ?? new Set();
    listeners.set(channel, all.add(listener));
  },
  off(channel: string, listener: Listener) {
    listeners.get(channel)?.delete(listener);
  },
});

const contextBridge = strict('contextBridge', {
  exposeInMainWorld: (key: string, api: unknown) => bridge.expose(key, api),
});

const webUtils = strict('webUtils', {
  /** A mark in place of the path: only the browser knows it, so main's side asks when it gets the mark. */
  getPathForFile(file: unknown) {
    if (!(file instanceof File)) throw new TypeError('The argument is not a File.');
    const id = nextId++;
    files.set(id, file);
    return `standin-file:${id}`;
  },
});

const electron = strict('electron in a sandboxed preload script', { ipcRenderer, contextBridge, webUtils });

type FromMain =
  | { readonly kind: 'message'; readonly channel: string; readonly args: unknown[] }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly message: string };

Object.assign(globalThis, {
  standinFromMain(text: string) {
    const message = decode(text) as FromMain;
    switch (message.kind) {
      case 'message':
        for (const listener of listeners.get(message.channel) ?? []) listener({}, ...message.args);
        break;
      case 'answer':
        pending.get(message.id)?.resolve(message.value);
        pending.delete(message.id);
        break;
      case 'failure':
        pending.get(message.id)?.reject(new Error(message.message));
        pending.delete(message.id);
        break;
    }
  },
  standinFile: (id: number) => files.get(id),
  standinRequire(name: string) {
    if (name === 'electron') return electron;
    throw new Error(`A sandboxed preload script cannot require "${name}".`);
  },
});
