import type { PackageSource } from '#main/library/index.ts';
import type { RunnableAgent, RunPackage } from '#main/library/library.ts';
import { readFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import { INTEGRATION_NOTES_FOLDER, SKILLS_FOLDER } from '#shared/protocol/layout.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import type { ServiceNotes } from '#shared/runs/system-prompt.ts';
import type { WorkspaceFile } from './workspace-archive.ts';

const SKILL_FILE = 'SKILL.md';
const NOTES_FILE = 'INTEGRATION.md';
/** Bytes of a text that is read here; longer ones are refused when their package is kept. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** A skill's name as its format allows it (reference: afps, section 4), which is also its folder's. */
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_SKILL_NAME = 64;

/** What of an agent's packages a run has in its workspace. */
export interface PackageFiles {
  readonly files: readonly WorkspaceFile[];
  /** Folders of skills, relative to the workspace. */
  readonly skills: readonly string[];
  /** Where the notes on services are. */
  readonly notes: readonly ServiceNotes[];
  readonly warnings: RunnableAgent['warnings'];
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
  const warnings: RunnableAgent['warnings'][number][] = [];
  const taken = new Set<string>();
  for (const { name, manifest, source } of packages) {
    if (manifest.type !== 'skill') continue;
    const head = readFrontmatter((await source.readText(SKILL_FILE, MAX_TEXT_BYTES)) ?? '');
    const folder = `${SKILLS_FOLDER}/${freeName(skillFolder(head?.name, name), taken)}`;
    skills.push(folder);
    files.push(...(await filesBelow(source, folder, name)));
    if (!head?.description || head.fault !== undefined) warnings.push(untold(name));
  }
  for (const { id, displayName, connections } of plan) {
    const found = packages.find(({ manifest }) => manifest.type === 'integration' && manifest.name === id);
    if (found === undefined || connections.length === 0) continue;
    const entry = (await found.source.list()).find(({ path }) => path === NOTES_FILE);
    if (entry === undefined) continue;
    const path = `${INTEGRATION_NOTES_FOLDER}/${freeName(slugOf(id), taken)}.md`;
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

function skillFolder(given: string | undefined, packageName: string): string {
  const isFit = given !== undefined && given.length <= MAX_SKILL_NAME && SKILL_NAME.test(given);
  return isFit ? given : slugOf(packageName);
}

function slugOf(packageName: string): string {
  return packageName.slice(packageName.indexOf('/') + 1);
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}-${count}`;
  taken.add(name);
  return name;
}

function untold(name: string): RunnableAgent['warnings'][number] {
  return {
    code: 'skill_untold',
    title: 'The model is not told of a skill',
    detail: `${SKILL_FILE} of ${name} has no head that can be read, or no description in it, by which a model knows when to use it. Its files are in the workspace.`,
  };
}
