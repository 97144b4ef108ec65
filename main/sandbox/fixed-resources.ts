import { basename, join } from 'node:path';
import type { ResourceLoader, Skill } from '@earendil-works/pi-coding-agent';
import type { Pi } from './pi.ts';

/**
 * What a Pi session is made of besides its tools: the configured system prompt and skills, and nothing
 * else. Pi's own loader would look into the workspace and the home for extensions, context files,
 * prompts and settings, all of which the agent's input could bring.
 */
export function fixedResources(
  pi: Pi,
  options: { readonly workspace: string; readonly systemPrompt: string; readonly skills: readonly string[] },
): ResourceLoader {
  const extensions = { extensions: [], errors: [], warnings: [], runtime: pi.createExtensionRuntime() };
  const skills = loadSkills(pi, options.workspace, options.skills);
  return {
    getExtensions: () => extensions,
    getSkills: () => ({ skills, diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => options.systemPrompt,
    getSystemPromptSource: () => undefined,
    getAppendSystemPrompt: () => [],
    getAppendSystemPromptSources: () => [],
    extendResources: () => undefined,
    reload: () => Promise.resolve(),
  };
}

/** The skills in these folders of the workspace. Of two of one name the second is called as its folder is. */
function loadSkills(pi: Pi, workspace: string, folders: readonly string[]): Skill[] {
  const byName = new Map<string, Skill>();
  for (const folder of folders) {
    for (const skill of pi.loadSkillsFromDir({ dir: join(workspace, folder), source: 'path' }).skills) {
      const name = byName.has(skill.name) ? basename(folder) : skill.name;
      if (!byName.has(name)) byName.set(name, { ...skill, name });
    }
  }
  return [...byName.values()];
}
