import type { AgentDetail, AgentSummary, ExampleFile } from '#shared/ipc/routes.ts';
import { isPackageType } from '#shared/manifest/dialect.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import type { AgentManifest } from '#shared/manifest/model/agent.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { EXAMPLES_KEY, examplesSchema } from '#shared/manifest/schemas/agent.ts';
import { ProblemError } from '#shared/problem.ts';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';
import type { CheckedPackage } from './checked-package.ts';
import type { RunnableAgent, RunPackage } from './library.ts';
import type { Snapshot } from './store/package-index.ts';

type Warning = RunnableAgent['warnings'][number];

/** The name in the manifest, or that of its folder when the manifest has none that can be read. */
export function idOf({ document, source }: CheckedPackage): string {
  const name = isRecord(document?.value) ? document.value['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : source.name;
}

/** The agent in a package, when it is one and has no error. */
export function agentOf({ manifest }: CheckedPackage): AgentManifest | undefined {
  return manifest?.type === 'agent' ? manifest : undefined;
}

/** What a card of the library shows; as much as can be read when the package has errors. */
export function summaryOf(checked: CheckedPackage, origin: AgentSummary['origin']): AgentSummary {
  const raw = isRecord(checked.document?.value) ? checked.document.value : {};
  const textOf = (member: string): string => (typeof raw[member] === 'string' ? raw[member] : '');
  const manifest = agentOf(checked);
  return {
    id: idOf(checked),
    version: manifest?.version ?? textOf('version'),
    displayName: manifest?.displayName ?? (textOf('display_name') || idOf(checked)),
    description: manifest?.description ?? textOf('description'),
    origin,
    errorCount: errorsOf(checked).length,
    tools: [...(manifest?.runtimeTools ?? [])],
    inputFieldCount: membersOf(manifest?.input?.schema['properties']).length,
  };
}

/** The same of a draft or version in the store, without reading its files. */
export function storedSummary({ name, summary }: Snapshot): AgentSummary {
  const { version, displayName, description, errorCount, tools, inputFieldCount } = summary;
  return {
    id: name,
    version,
    displayName,
    description,
    origin: 'library',
    errorCount,
    tools,
    inputFieldCount,
  };
}

/** What the page of an agent shows. */
export function detailOf(checked: CheckedPackage, summary: AgentSummary): AgentDetail {
  const manifest = agentOf(checked);
  const { files } = checked;
  const examples = examplesSchema.safeParse(examplesIn(checked)).data;
  const sizes = new Map(files.map((file) => [file.path, file.size]));
  const exampleFiles: ExampleFile[] = [];
  for (const [field, paths] of Object.entries(examples?.files ?? {})) {
    for (const path of paths) {
      const size = sizes.get(path);
      if (size !== undefined)
        exampleFiles.push({ field, path, name: path.slice(path.lastIndexOf('/') + 1), size });
    }
  }
  const { input } = manifest ?? {};
  return {
    summary,
    manifestText: checked.manifestText,
    promptText: checked.promptText,
    ...(input && {
      input: {
        schema: { ...input.schema },
        fileConstraints: { ...input.fileConstraints },
        hints: { ...input.hints },
        order: [...input.order],
      },
    }),
    ...(manifest && outputSchemaOf(manifest)),
    timeoutSeconds: timeoutOf(manifest),
    runtimeTools: [...(manifest?.runtimeTools ?? [])],
    files: files.map(({ path, size }) => ({ path, size })),
    examples: exampleFiles,
    exampleInput: { ...examples?.input },
    findings: [...checked.findings],
  };
}

function examplesIn({ document }: CheckedPackage): unknown {
  const meta = isRecord(document?.value) ? document.value['_meta'] : undefined;
  return isRecord(meta) ? meta[EXAMPLES_KEY] : undefined;
}

/** An output schema that asks for nothing is none. */
function outputSchemaOf({ output }: AgentManifest): { outputSchema?: Record<string, unknown> } {
  if (output === undefined || membersOf(output.schema['properties']).length === 0) return {};
  return { outputSchema: { ...output.schema } };
}

function timeoutOf(manifest: AgentManifest | undefined): number {
  return Math.min(manifest?.timeout ?? DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS);
}

/** What a run takes of an agent without errors, with the packages that were found for it. */
export function runnable(
  checked: CheckedPackage,
  manifest: AgentManifest,
  packages: readonly RunPackage[],
  faults: readonly { readonly detail: string }[],
): RunnableAgent {
  return {
    id: manifest.name,
    version: manifest.version,
    displayName: manifest.displayName,
    manifestText: checked.manifestText,
    promptText: checked.promptText,
    dependencies: manifest.dependencies,
    integrationChoices: manifest.integrationChoices,
    runtimeTools: manifest.runtimeTools,
    outputSchema: outputSchemaOf(manifest).outputSchema,
    inputSchema: manifest.input && { ...manifest.input.schema },
    fileConstraints: manifest.input?.fileConstraints ?? {},
    timeoutSeconds: timeoutOf(manifest),
    warnings: [
      ...checked.findings.flatMap(warningOf),
      ...faults.map(({ detail }) => ({
        code: 'dependency_unresolved',
        title: 'A dependency was not found',
        detail: `${detail} The run goes on without it.`,
      })),
      ...unservedDependencies(packages),
    ],
    packages,
  };
}

/** Findings that make a run differ from what the manifest says, by their code. */
const WARNING_TITLES: ReadonlyMap<string, string> = new Map([
  ['runtime_tool_unknown', 'A withdrawn tool was left out'],
  ['dependency_kind_retired', 'A dependency was left out'],
  ['timeout_above_ceiling', 'The time limit was lowered'],
]);

function warningOf({ code, message }: Finding): Warning[] {
  const title = WARNING_TITLES.get(code);
  return title === undefined ? [] : [{ code, title, detail: message }];
}

/** Servers that no integration of the run brings: skills are in its workspace, and integrations serve themselves. */
function unservedDependencies(packages: readonly RunPackage[]): Warning[] {
  const served = new Set(
    packages.flatMap(({ manifest }) =>
      manifest.type === 'integration' && manifest.source.kind === 'local'
        ? [manifest.source.server.name]
        : [],
    ),
  );
  return packages.flatMap(({ name, version, manifest }): Warning[] => {
    if (manifest.type !== 'mcp-server' || served.has(name)) return [];
    const detail = `The agent depends on the MCP server ${name} ${version} itself, and a run reaches a server only through an integration whose source it is. Depend on such an integration. The run goes on without the server.`;
    return [{ code: 'dependency_not_served', title: 'A dependency was left out', detail }];
  });
}

function errorsOf({ findings }: CheckedPackage): Finding[] {
  return findings.filter((finding) => finding.severity === 'error' && finding.blocks === 'use');
}

/** Why a package cannot be run, with every error and its place. */
export function packageInvalid(checked: CheckedPackage): ProblemError {
  const errors = errorsOf(checked);
  const type = isRecord(checked.document?.value) ? checked.document.value['type'] : undefined;
  const first = errors[0];
  if (first === undefined || (isPackageType(type) && type !== 'agent')) {
    const detail = `${idOf(checked)} is a package of type ${JSON.stringify(type)}. Only agents can be run.`;
    return new ProblemError({ code: 'package_invalid', title: 'This package is no agent', detail });
  }
  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new ProblemError({
    code: 'package_invalid',
    title: 'The agent has errors',
    detail: `${idOf(checked)} cannot be run: it has ${count}. ${placeOf(first)}: ${first.message}`,
    file: first.file,
    pointer: first.pointer,
    line: first.line,
    column: first.column,
    action: 'Correct the package and run it again.',
    causes: errors.map((finding) => ({
      code: finding.code,
      detail: `${placeOf(finding)}: ${finding.message}`,
      pointer: finding.pointer,
    })),
  });
}

/** `manifest.json:12:5`, which terminals and editors turn into a link. */
function placeOf({ file, line, column }: Finding): string {
  return `${file}:${line}:${column}`;
}
