import type { Readable } from 'node:stream';
import type { AgentDetail, AgentSummary } from '#shared/ipc/routes.ts';
import type { DependencyKind } from '#shared/manifest/dependencies.ts';
import type { AgentManifest } from '#shared/manifest/model/agent.ts';
import type { PackageManifest } from '#shared/manifest/validate.ts';
import type { Problem } from '#shared/problem.ts';
import type { RuntimeTool } from '#shared/protocol/sidecar.ts';
import type { PackageSource } from './package-source.ts';

/** A package that an agent's dependencies lead to, as a run takes it. */
export interface RunPackage {
  readonly kind: DependencyKind;
  readonly name: string;
  readonly version: string;
  readonly manifest: PackageManifest;
  readonly source: PackageSource;
}

/** An agent's package as a run takes it: checked, and fixed for the length of the run. */
export interface RunnableAgent {
  readonly id: string;
  readonly version: string;
  readonly displayName: string;
  readonly manifestText: string;
  readonly promptText: string;
  readonly dependencies: AgentManifest['dependencies'];
  readonly integrationChoices: AgentManifest['integrationChoices'];
  readonly runtimeTools: readonly RuntimeTool[];
  readonly outputSchema: Record<string, unknown> | undefined;
  readonly inputSchema: Record<string, unknown> | undefined;
  readonly fileConstraints: Readonly<
    Record<string, { accept?: string | undefined; maxSize?: number | undefined }>
  >;
  /** Seconds, already defaulted and held to the ceiling. */
  readonly timeoutSeconds: number;
  /** Things worth a warning on the run, such as retired tools that were dropped. */
  readonly warnings: readonly Problem[];
  /** What its dependencies lead to, and theirs, each once; what could not be found is among the warnings. */
  readonly packages: readonly RunPackage[];
}

/** The agents the author has. */
export interface Library {
  list(): Promise<AgentSummary[]>;
  onChange(listener: (agents: AgentSummary[]) => void): () => void;
  /** @throws ProblemError `agent_unknown`. */
  get(agentId: string): Promise<AgentDetail>;
  /**
   * The agent to run: an id of the library, alone for its draft or else its latest version, or with a
   * version or tag as in `@scope/name@1.2.0`; or a folder, `.afps` or `.afps-bundle` on disk.
   * @throws ProblemError `agent_unknown`, `package_invalid` with every error and its place, `archive_…`,
   * `bundle_…`.
   */
  load(agentIdOrFolder: string): Promise<RunnableAgent>;
  /** Opens one of the package's example files. @throws ProblemError `file_unknown`. */
  openExample(agentId: string, path: string): Promise<{ name: string; size: number; stream: Readable }>;
  [Symbol.asyncDispose](): Promise<void>;
}
