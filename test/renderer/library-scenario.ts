import type { ImportPreview, LibraryState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import {
  catalogueEntries,
  filesOf,
  fixtureCompare,
  fixtureDetail,
  fixturePackages,
  manyPackages,
  type FixturePackage,
} from './fixtures/packages.ts';
import type { Scenario } from './scenarios.ts';

export const libraryState: LibraryState = {
  packages: fixturePackages.map(({ summary }) => summary),
  watches: [],
};

export const manyState: LibraryState = { packages: [...manyPackages], watches: [] };

function find(name: string): FixturePackage {
  const entry = fixturePackages.find(({ summary }) => summary.name === name);
  if (entry) return entry;
  throw new ProblemError({
    code: 'package_unknown',
    title: 'No such package',
    detail: `There is no package "${name}" in the library.`,
  });
}

/** Answers about packages, from the fixtures. What would change the library only says that it did. */
export function libraryRoutesOver(preview: ImportPreview): Scenario['routes'] {
  return {
    'library.package': ({ name, version }) => fixtureDetail(find(name), version),
    'library.readFile': ({ name, version, path, limit }) => {
      const text = filesOf(find(name), version)[path] ?? '';
      return {
        text: text.slice(0, limit),
        size: text.length,
        truncated: text.length > limit,
        binary: false,
      };
    },
    'library.compare': ({ name, from, to }) => fixtureCompare(find(name), from, to),
    'library.saveDraft': () => ({ draftId: 8, saved: true, findings: [] }),
    'library.catalogue': () => ({ entries: [...catalogueEntries] }),
    'library.addFromCatalogue': ({ name }) => ({ name, version: '1.0.0' }),
    'library.create': ({ name }) => ({ name }),
    'library.previewImport': async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return preview;
    },
    'library.cancelImport': () => ({}),
    'library.mendImport': ({ id }) => ({
      ...preview,
      items: preview.items.map((item) =>
        item.id === id
          ? {
              ...item,
              state: 'new',
              findings: [],
              mended: item.findings.flatMap(({ fix }) => (fix ? [fix.title] : [])),
              choices: ['draft', 'version', 'skip'],
            }
          : item,
      ),
    }),
    'library.commitImport': () => ({
      imported: [{ name: '@grace/meeting-notes', version: '2.1.0', as: 'version' }],
      problems: [
        {
          code: 'version_exists',
          title: 'The version exists',
          detail: '@ada/inbox-digest 1.4.0 was published meanwhile.',
          action: 'Take it as a draft.',
        },
      ],
    }),
    'library.delete': ({ force }) => {
      if (force) return {};
      throw new ProblemError({
        code: 'package_used',
        title: 'Other packages need this one',
        detail: '@ada/house-style is needed by 1 package.',
        causes: [{ code: 'used_by', detail: '@ada/inbox-digest (draft) asks for ^1.0.0' }],
      });
    },
    'library.export': ({ name }) => ({
      token: 'fixture',
      fileName: `${name.split('/')[1]}.afps`,
      size: 22,
      integrity: 'sha256-',
      packages: [name],
      warnings: [],
    }),
    'library.publish': ({ version = '1.3.0' }) => ({ version, warnings: [] }),
    'library.yank': () => ({}),
    'library.unyank': () => ({}),
    'library.tag': () => ({}),
    'library.signing': () => ({
      policy: 'warn',
      own: { keyId: 'ada-desk', publicKey: 'fQ2hV0c3l7b1l0mXjv9x5r8m4n2k6p0q1s3u5w7y9A0=' },
      trusted: [
        {
          keyId: 'grace-laptop',
          publicKey: 'k7p0q1s3u5w7y9A0fQ2hV0c3l7b1l0mXjv9x5r8m4n2=',
          comment: 'Grace, asked by phone',
        },
      ],
    }),
  };
}
