import { INTEGRATION_NOTES_FOLDER, SKILLS_FOLDER } from '../protocol/layout.ts';

/** A skill's name as its format allows it (reference: afps, section 4), which is also its folder's. */
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_SKILL_NAME = 64;

/** Where a run's workspace has what an agent's packages bring: no two of them at one place. */
export class PackagePaths {
  readonly #taken = new Set<string>();

  /** Folder of a skill, relative to the workspace, by the name that its head gives or else its package's. */
  skillFolder(packageName: string, headName: string | undefined): string {
    const isFit = headName !== undefined && headName.length <= MAX_SKILL_NAME && SKILL_NAME.test(headName);
    return `${SKILLS_FOLDER}/${this.#free(isFit ? headName : slugOf(packageName))}`;
  }

  /** File of an integration's notes, relative to the workspace. */
  notesFile(packageName: string): string {
    return `${INTEGRATION_NOTES_FOLDER}/${this.#free(slugOf(packageName))}.md`;
  }

  #free(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wanted}-${count}`;
    this.#taken.add(name);
    return name;
  }
}

function slugOf(packageName: string): string {
  return packageName.slice(packageName.indexOf('/') + 1);
}
