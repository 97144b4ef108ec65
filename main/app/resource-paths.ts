import { join } from 'node:path';

/** Folders with what the app reads but never writes. Absolute, and real: never inside an archive. */
export interface ResourcePaths {
  /** The renderer's built files. The one folder that may be inside `app.asar`. */
  readonly renderer: string;
  /** Bundles of the programs in the containers: `sandbox.js`, `sidecar.js` and `runner.js`. */
  readonly programs: string;
  /** Recipe of the image: Dockerfile and what it copies. */
  readonly image: string;
  /** Package folder of `@earendil-works/pi-coding-agent`; a parent of `programs` has it in node_modules. */
  readonly pi: string;
  /** The sample agents, one folder each. */
  readonly samples: string;
  /** The integrations of the catalogue, one folder each. */
  readonly catalogue: string;
}

/** Where things are in a checkout of the repository, after a build. */
export function developmentResourcePaths(root: string): ResourcePaths {
  return {
    renderer: join(root, 'out', 'renderer'),
    programs: join(root, 'out', 'programs'),
    image: join(root, 'main', 'sandbox', 'image'),
    pi: join(root, 'node_modules', '@earendil-works', 'pi-coding-agent'),
    samples: join(root, 'main', 'library', 'samples'),
    catalogue: join(root, 'main', 'library', 'catalogue'),
  };
}

/**
 * Where things are in an installed app; `electron-builder.yml` puts them there.
 * @param resources Electron's `process.resourcesPath`.
 * @param application Electron's `app.getAppPath()`, which is `app.asar`.
 */
export function packagedResourcePaths(resources: string, application: string): ResourcePaths {
  return {
    renderer: join(application, 'out', 'renderer'),
    programs: join(resources, 'programs'),
    image: join(resources, 'image'),
    pi: join(resources, 'programs', 'node_modules', '@earendil-works', 'pi-coding-agent'),
    samples: join(resources, 'samples'),
    catalogue: join(resources, 'catalogue'),
  };
}
