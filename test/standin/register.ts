import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/** Puts the stand-in in Electron's place: `node --import <this file> out/electron/main.js`. */
const standIn = pathToFileURL(join(import.meta.dirname, 'electron.ts')).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});

await import('./remote-control.ts');
