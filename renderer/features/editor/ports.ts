import type { PackageType } from '#shared/manifest/dialect.ts';
import type { PackageManifest } from '#shared/manifest/validate.ts';

/** A package of the library, as far as an editor of another one needs to know it. */
export interface LibraryPackage {
  readonly name: string;
  readonly type: PackageType;
  readonly displayName: string;
  readonly description: string;
  /** Versions a range may lead to, the newest first; none while it was never published. */
  readonly versions: readonly string[];
  /** What it is now: of the draft, else of the newest version. Absent while it is not loaded, or faulty. */
  readonly manifest?: PackageManifest | undefined;
  /** Its SKILL.md or INTEGRATION.md, loaded with the manifest. */
  readonly content?: string | undefined;
}

/** A tool as a running MCP server tells it. */
export interface LiveTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** A connection the author has, with what it was granted. */
export interface GrantedConnection {
  readonly integration: string;
  readonly authKey: string;
  /** Whose account it is. */
  readonly label: string;
  readonly scopes: readonly string[];
}

/** What the editor knows of everything outside of the package. Another object means that it changed. */
export interface EditorLibrary {
  readonly packages: readonly LibraryPackage[];
  /** Tools that connected servers tell, by the name of the integration or MCP server. */
  readonly liveTools?: Readonly<Record<string, readonly LiveTool[]>>;
  readonly connections?: readonly GrantedConnection[];
}

/** What the editor can ask for. An absent one is not offered. */
export interface EditorActions {
  /** Begins to connect, or to grant more: the scopes are those the consent should ask for. */
  readonly connect?: (integration: string, authKey: string, scopes: readonly string[]) => void;
  /** Saves at once, though drafts save themselves. */
  readonly save?: () => void;
  /** Runs the draft beside the editor, with these values or those of the last run. */
  readonly tryIt?: (values?: Readonly<Record<string, unknown>>) => void;
  /** A trial is beside the editor, and the key that runs is its own. */
  readonly isTrying?: boolean;
}

/** The package of a name, if the library has it as that type. */
export function packageOf(
  library: EditorLibrary,
  name: string,
  type: PackageType,
): LibraryPackage | undefined {
  return library.packages.find((candidate) => candidate.name === name && candidate.type === type);
}
