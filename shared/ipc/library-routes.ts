import { z } from 'zod';
import { findingSchema } from '../manifest/finding.ts';
import { PACKAGE_TYPES } from '../manifest/dialect.ts';
import { REACH_KINDS } from '../manifest/reach.ts';
import { problemSchema } from '../problem.ts';

const nothing = z.object({});

export const packageTypeSchema = z.enum(PACKAGE_TYPES);
const count = z.number().int().nonnegative();
/** Name of a package: `@scope/name`. */
const packageName = z.string().min(1).max(4096);
/** A version, a tag of the package, or `draft`; absent for the draft, else the latest version. */
const versionOrTag = z.string().min(1).max(300).optional();

/** One line of the library: a package with all its versions. */
export const packageSummarySchema = z.object({
  name: z.string(),
  type: packageTypeSchema,
  displayName: z.string(),
  description: z.string(),
  icon: z.string().optional(),
  keywords: z.array(z.string()),
  /**
   * `sample` comes with the app and is not changed; `draft` was never published; `published` has no
   * changes since its last version; `modified` has.
   */
  state: z.enum(['sample', 'draft', 'published', 'modified']),
  /** Version in the draft's manifest. */
  draftVersion: z.string().optional(),
  latestVersion: z.string().optional(),
  versionCount: count,
  /** Versions that were withdrawn. */
  yankedCount: count,
  /** The author's own tags and `latest`, with the version each leads to. */
  tags: z.record(z.string(), z.string()),
  /** Of what is shown: the draft, else the latest version. */
  errorCount: count,
  publishErrorCount: count,
  warningCount: count,
  /** Packages that need this one. */
  usedByCount: count,
  forkedFrom: z.string().optional(),
  /** Folder whose changes are taken as they are saved. */
  watchedFolder: z.string().optional(),
  /** Milliseconds since 1970 of the last save; 0 for a sample. */
  updatedAt: z.number(),
});
export type PackageSummary = z.infer<typeof packageSummarySchema>;

export const watchStateSchema = z.object({
  path: z.string(),
  name: z.string(),
  state: z.enum(['following', 'faulty', 'gone']),
  /** Why the last change was not taken. */
  problem: problemSchema.optional(),
  takenAt: z.number().optional(),
});
export type WatchState = z.infer<typeof watchStateSchema>;

export const libraryStateSchema = z.object({
  packages: z.array(packageSummarySchema),
  watches: z.array(watchStateSchema),
});
export type LibraryState = z.infer<typeof libraryStateSchema>;

export const packageFileSchema = z.object({ path: z.string(), size: count, digest: z.string() });

const dependencyKindSchema = z.enum(['skill', 'mcp-server', 'integration']);

/** A package another one needs, as far as it could be found. */
export const dependencyNodeSchema = z.object({
  kind: dependencyKindSchema,
  name: z.string(),
  range: z.string(),
  state: z.enum(['resolved', 'missing', 'unsatisfied', 'wrong_type', 'cycle']),
  /** What the range leads to, when it was found. */
  version: z.string().optional(),
  isDraft: z.boolean().optional(),
  /** Only an exact version leads to one that was withdrawn. */
  isYanked: z.boolean().optional(),
  /** Its dependencies stand at another place of the tree. */
  isRepeated: z.boolean().optional(),
  /** Versions there are, when none fits. */
  available: z.array(z.string()),
  /** The type the package has, when it is another one. */
  type: packageTypeSchema.optional(),
  /** The circle, from a package back to itself. */
  path: z.array(z.string()).optional(),
  get dependencies() {
    return z.array(dependencyNodeSchema);
  },
});
export type DependencyNode = z.infer<typeof dependencyNodeSchema>;

export const dependantSchema = z.object({
  name: z.string(),
  /** Absent for its draft. */
  version: z.string().optional(),
  kind: z.string(),
  range: z.string(),
});

export const reachItemSchema = z.object({
  kind: z.enum(REACH_KINDS),
  subject: z.string(),
  reason: z.string(),
  /** The package it needs that has this reach; absent for what is its own. */
  through: z.string().optional(),
});

export const reachChangeSchema = reachItemSchema.extend({ change: z.enum(['added', 'removed', 'changed']) });
export const fileChangeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
});

/** What a person agrees to by taking one state of a package in the place of another. */
export const changeReportSchema = z.object({
  reach: z.array(reachChangeSchema),
  files: z.array(fileChangeSchema),
  /** Whether the package may do more than before. */
  widens: z.boolean(),
});
export type ChangeReport = z.infer<typeof changeReportSchema>;

/** What differs between two states of a package, and the step of the version that asks for. */
export const comparisonSchema = changeReportSchema.extend({
  step: z.enum(['patch', 'minor', 'major']),
  /** What does not go on working as it did; empty unless the step is a major one. */
  stepReasons: z.array(z.string()),
});
export type Comparison = z.infer<typeof comparisonSchema>;

export const snapshotOriginSchema = z.object({
  kind: z.enum([
    'written',
    'published',
    'file',
    'bundle',
    'folder',
    'github',
    'catalogue',
    'fork',
    'restored',
  ]),
  from: z.string().optional(),
  signedBy: z.string().optional(),
});

export const versionSummarySchema = z.object({
  version: z.string(),
  publishedAt: z.number(),
  integrity: z.string(),
  fileCount: count,
  /** Bytes of all files. */
  size: count,
  tags: z.array(z.string()),
  yanked: z.object({ at: z.number(), reason: z.string().optional() }).optional(),
  origin: snapshotOriginSchema,
});

export const packageDetailSchema = z.object({
  summary: packageSummarySchema,
  /** What is shown: a version, or `draft`, or `sample`. */
  shown: z.string(),
  /** Name this save with the next one, so that nobody else's save is lost; 0 without a draft. */
  draftId: z.number().int(),
  integrity: z.string(),
  manifestText: z.string(),
  /** The file a person reads first: `prompt.md`, `SKILL.md` or `INTEGRATION.md`. */
  content: z.object({ path: z.string(), text: z.string() }).optional(),
  files: z.array(packageFileSchema),
  findings: z.array(findingSchema),
  versions: z.array(versionSummarySchema),
  dependencies: z.array(dependencyNodeSchema),
  usedBy: z.array(dependantSchema),
  /** All that it may reach, and why. */
  reach: z.array(reachItemSchema),
  /** Versions a draft could be published as; the first is the one in its manifest when that is allowed. */
  nextVersions: z.array(z.string()),
});
export type PackageDetail = z.infer<typeof packageDetailSchema>;

/** A change of a draft's file. */
export const fileEditSchema = z.union([
  z.object({ path: z.string(), text: z.string() }),
  /** A file the shell has registered, such as one that was dropped. */
  z.object({ path: z.string(), handle: z.string() }),
  z.object({ path: z.string(), remove: z.literal(true) }),
]);
export type FileEdit = z.infer<typeof fileEditSchema>;

export const importSourceSchema = z.discriminatedUnion('kind', [
  /** Archives, or the files of a folder with their paths in it; several packages may come together. */
  z.object({
    kind: z.literal('files'),
    files: z
      .array(z.object({ handle: z.string(), path: z.string().optional() }))
      .min(1)
      .max(10_000),
  }),
  z.object({ kind: z.literal('github'), url: z.string().max(2_000) }),
]);
export type ImportSource = z.infer<typeof importSourceSchema>;

/** One package found in what is to be imported. */
export const importItemSchema = z.object({
  /** Names the item in the decision about it. */
  id: z.string(),
  /** File or folder it was found in. */
  from: z.string(),
  /** Others in which the very same was found. */
  alsoFrom: z.array(z.string()),
  /** Where the import has another of its name, which is of its version or of another type. */
  rivals: z.array(z.string()),
  name: z.string(),
  version: z.string(),
  type: packageTypeSchema.optional(),
  displayName: z.string(),
  description: z.string(),
  fileCount: count,
  size: count,
  /** Whether it is what a bundle is about, and not only needed by that. */
  isRoot: z.boolean(),
  state: z.enum(['new', 'upgrade', 'older', 'unchanged', 'version_differs', 'type_mismatch', 'invalid']),
  installedVersion: z.string().optional(),
  /** The trusted key it was signed with. */
  signedBy: z.string().optional(),
  /** It was of AFPS 1.x; a warning among the findings says what to look at. */
  isConverted: z.boolean(),
  /** What was mended of it here, before it is taken. */
  mended: z.array(z.string()),
  findings: z.array(findingSchema),
  /** Withdrawn ids and kinds that have no effect any more and are left out. */
  dropped: z.array(z.string()),
  /** Against what is installed. */
  changes: changeReportSchema,
  /** What may be done with it; the first is proposed. */
  choices: z.array(z.enum(['version', 'draft', 'skip'])),
  /** Whether its draft here would be replaced by taking it as a draft. */
  replacesDraft: z.boolean(),
});
export type ImportItem = z.infer<typeof importItemSchema>;

export const importPreviewSchema = z.object({
  /** Stands for what was read, for a while. */
  token: z.string(),
  items: z.array(importItemSchema),
  /** Sources that could not be read at all. */
  problems: z.array(problemSchema),
  /** What the signature of a bundle says, when there is something to say. */
  warnings: z.array(z.string()),
});
export type ImportPreview = z.infer<typeof importPreviewSchema>;

export const importOutcomeSchema = z.object({
  imported: z.array(z.object({ name: z.string(), version: z.string(), as: z.enum(['version', 'draft']) })),
  /** Those that were refused although the others were taken. */
  problems: z.array(problemSchema),
});
export type ImportOutcome = z.infer<typeof importOutcomeSchema>;

export const signaturePolicySchema = z.enum(['off', 'warn', 'required']);
const signingKeySchema = z.object({
  keyId: z.string(),
  /** 32 bytes in base64. */
  publicKey: z.string(),
  comment: z.string().optional(),
});
export const signingStateSchema = z.object({
  policy: signaturePolicySchema,
  /** The app's own key; its secret half is in the vault. */
  own: signingKeySchema.optional(),
  trusted: z.array(signingKeySchema),
});
export type SigningState = z.infer<typeof signingStateSchema>;

export const exportedFileSchema = z.object({
  /** Where the shell serves the file once, until the next few exports. */
  token: z.string(),
  fileName: z.string(),
  size: count,
  integrity: z.string(),
  packages: z.array(z.string()),
  warnings: z.array(z.string()),
});
export type ExportedFile = z.infer<typeof exportedFileSchema>;

/** A service of the app's catalogue, ready to be taken into the library. */
export const catalogueEntrySchema = z.object({
  /** Name of its package. */
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  /** Ways to connect, in the order in which they are offered. */
  auths: z.array(
    z.object({ key: z.string(), type: z.enum(['oauth2', 'api_key', 'basic', 'mtls', 'custom']) }),
  ),
  /** `none` is called through `api_call`; `remote` is an MCP server that the vendor hosts. */
  source: z.enum(['none', 'remote', 'local']),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

/** Requests about packages of every type. */
export const libraryRoutes = {
  'library.packages': { input: nothing, output: libraryStateSchema },
  'library.package': {
    input: z.object({ name: packageName, version: versionOrTag }),
    output: packageDetailSchema,
  },
  /** The beginning of a file as text. */
  'library.readFile': {
    input: z.object({
      name: packageName,
      version: versionOrTag,
      path: z.string(),
      limit: z.number().int().positive().max(2_000_000),
    }),
    output: z.object({ text: z.string(), size: z.number(), truncated: z.boolean(), binary: z.boolean() }),
  },
  /** What differs between two states of a package. */
  'library.compare': {
    input: z.object({ name: packageName, from: z.string(), to: z.string() }),
    output: comparisonSchema,
  },
  /**
   * Changes files of a draft, making it of the latest version, or of nothing for a new package. With
   * `checkOnly` nothing is saved. Errors that forbid use refuse the save and are in the problem's causes.
   */
  'library.saveDraft': {
    input: z.object({
      name: packageName,
      edits: z.array(fileEditSchema).max(10_000),
      /** `draftId` of what was edited; absent to save over anything. */
      basedOn: z.number().int().optional(),
      checkOnly: z.boolean().default(false),
    }),
    output: z.object({ draftId: z.number().int(), saved: z.boolean(), findings: z.array(findingSchema) }),
  },
  /** Makes a working example of a type, as a draft. */
  'library.create': {
    input: z.object({
      type: packageTypeSchema,
      name: packageName,
      displayName: z.string().max(200).optional(),
      description: z.string().max(2_000).optional(),
      author: z.string().max(200).optional(),
    }),
    output: z.object({ name: z.string() }),
  },
  'library.catalogue': {
    input: nothing,
    output: z.object({ entries: z.array(catalogueEntrySchema) }),
  },
  /** Takes a service of the catalogue as a version. */
  'library.addFromCatalogue': {
    input: z.object({ name: packageName }),
    output: z.object({ name: z.string(), version: z.string() }),
  },
  'library.discardDraft': { input: z.object({ name: packageName }), output: nothing },
  /** Publishes the draft, as another version than its manifest says when one is given. */
  'library.publish': {
    input: z.object({ name: packageName, version: z.string().optional() }),
    output: z.object({ version: z.string(), warnings: z.array(z.string()) }),
  },
  'library.yank': {
    input: z.object({ name: packageName, version: z.string(), reason: z.string().max(500).optional() }),
    output: nothing,
  },
  'library.unyank': { input: z.object({ name: packageName, version: z.string() }), output: nothing },
  /** Copies a version into the draft, without what was withdrawn since. */
  'library.restore': {
    input: z.object({ name: packageName, version: z.string() }),
    output: z.object({ draftId: z.number().int(), dropped: z.array(z.string()) }),
  },
  /** Points a tag at a version; without one the tag is removed. */
  'library.tag': {
    input: z.object({ name: packageName, tag: z.string(), version: z.string().optional() }),
    output: nothing,
  },
  /** Copies a package, a sample too, under another name. */
  'library.fork': {
    input: z.object({ name: packageName, version: versionOrTag, newName: packageName }),
    output: z.object({ name: z.string(), dropped: z.array(z.string()) }),
  },
  /** Deletes a package, or one version; refused with reasons while others need it, unless `force`. */
  'library.delete': {
    input: z.object({
      name: packageName,
      version: z.string().optional(),
      force: z.boolean().default(false),
    }),
    output: nothing,
  },
  /** Reads what is to be imported and tells what would change. Nothing is kept until it is agreed to. */
  'library.previewImport': { input: z.object({ source: importSourceSchema }), output: importPreviewSchema },
  /** Mends one mistake of an item that has a fix, or all of them, and tells what the import is then. */
  'library.mendImport': {
    input: z.object({
      token: z.string(),
      id: z.string(),
      finding: findingSchema.pick({ code: true, pointer: true }).optional(),
    }),
    output: importPreviewSchema,
  },
  'library.commitImport': {
    input: z.object({
      token: z.string(),
      decisions: z.array(z.object({ id: z.string(), as: z.enum(['version', 'draft', 'skip']) })),
    }),
    output: importOutcomeSchema,
  },
  'library.cancelImport': { input: z.object({ token: z.string() }), output: nothing },
  /** Asks the person for a folder; `folder` is absent when they chose none, or where the shell cannot ask. */
  'library.pickFolder': {
    input: nothing,
    output: z.object({
      canPick: z.boolean(),
      /** The handle stands for the choice; the path is only to be shown. */
      folder: z.object({ handle: z.string(), path: z.string() }).optional(),
    }),
  },
  /**
   * Takes a folder's package as a draft, and again with each change that is saved there. Where the shell
   * can ask for a folder, only one that the person chose is taken, and no path.
   */
  'library.watchFolder': {
    input: z.union([z.object({ handle: z.string() }), z.object({ path: z.string().min(1).max(4_096) })]),
    output: watchStateSchema,
  },
  'library.unwatchFolder': { input: z.object({ path: z.string() }), output: nothing },
  'library.export': {
    input: z.object({
      name: packageName,
      version: versionOrTag,
      format: z.enum(['afps', 'afps-bundle']),
      sign: z.boolean().default(false),
      /** Writes manifests in one dialect, for readers that know no other; as they are without it. */
      dialect: z.enum(['0.x', '2.x']).optional(),
    }),
    output: exportedFileSchema,
  },
  /** Electron asks where to save; in the browser the page downloads by URL and never calls this. */
  'library.saveExport': {
    input: z.object({ token: z.string() }),
    output: z.object({ savedTo: z.string().optional() }),
  },
  'library.signing': { input: nothing, output: signingStateSchema },
  'library.setSigning': {
    input: z.object({
      policy: signaturePolicySchema.optional(),
      trusted: z.array(signingKeySchema).optional(),
    }),
    output: signingStateSchema,
  },
  /** Makes the app's own key, once. */
  'library.createSigningKey': { input: nothing, output: signingStateSchema },
} as const;
