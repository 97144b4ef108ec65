import type { PackageSource } from '#main/library/index.ts';
import type { RunPackage } from '#main/library/library.ts';
import { readFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import type { Problem } from '#shared/problem.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { PackagePaths } from '#shared/runs/package-paths.ts';
import type { ServiceNotes } from '#shared/runs/system-prompt.ts';
import type { WorkspaceFile } from './workspace-archive.ts';

const SKILL_FILE = 'SKILL.md';
const NOTES_FILE = 'INTEGRATION.md';
/** Bytes of a text that is read here; longer ones are refused when their package is kept. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** What of an agent's packages a run has in its workspace. */
export interface PackageFiles {
  readonly files: readonly WorkspaceFile[];
  /** Folders of skills, relative to the workspace. */
  readonly skills: readonly string[];
  /** Where the notes on services are. */
  readonly notes: readonly ServiceNotes[];
  readonly warnings: readonly Problem[];
}

/**
 * The skills an agent depends on, each whole in a folder of its own, and what the integrations it may call
 * say to their users. Nothing is read but the heads; the files are read when the workspace is filled.
 * @throws ProblemError `file_unreadable`
 */
export async function packageFilesOf(
  packages: readonly RunPackage[],
  plan: readonly RunIntegration[],
): Promise<PackageFiles> {
  const files: WorkspaceFile[] = [];
  const skills: string[] = [];
  const notes: ServiceNotes[] = [];
  const warnings: Problem[] = [];
  const paths = new PackagePaths();
  for (const { name, manifest, source } of packages) {
    if (manifest.type !== 'skill') continue;
    const head = readFrontmatter((await source.readText(SKILL_FILE, MAX_TEXT_BYTES)) ?? '');
    const folder = paths.skillFolder(name, head?.name);
    skills.push(folder);
    files.push(...(await filesBelow(source, folder, name)));
    if (!head?.description?.trim() || head.fault !== undefined) warnings.push(untold(name));
  }
  for (const { id, displayName, connections } of plan) {
    const found = packages.find(({ manifest }) => manifest.type === 'integration' && manifest.name === id);
    if (found === undefined || connections.length === 0) continue;
    const entry = (await found.source.list()).find(({ path }) => path === NOTES_FILE);
    if (entry === undefined) continue;
    const path = paths.notesFile(id);
    files.push(packageFile(found.source, { ...entry, target: path, owner: id }));
    notes.push({ service: displayName, path });
  }
  return { files, skills, notes, warnings };
}

async function filesBelow(source: PackageSource, folder: string, owner: string): Promise<WorkspaceFile[]> {
  const entries = await source.list();
  return entries.map((entry) => packageFile(source, { ...entry, target: `${folder}/${entry.path}`, owner }));
}

function packageFile(
  source: PackageSource,
  { path, size, target, owner }: { path: string; size: number; target: string; owner: string },
): WorkspaceFile {
  return {
    path: target,
    size,
    shownName: `${owner}: ${path}`,
    // Archives keep no modes, and these are the ones that a skill tells to run.
    isExecutable: /(?:^|\/)scripts\//.test(path),
    open: async () => (await source.openFile(path)).stream,
  };
}

function untold(name: string): Problem {
  return {
    code: 'skill_untold',
    title: 'The model is not told of a skill',
    detail: `${SKILL_FILE} of ${name} has no head that can be read, or no description in it, by which a model knows when to use it. Its files are in the workspace.`,
  };
}
