import { likelyDisplayName } from '#shared/manifest/identity.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { currentRuntimeTool } from '#shared/manifest/runtime-tools.ts';
import { readFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { WORKSPACE_BYTES, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import { DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';
import { PackagePaths } from '#shared/runs/package-paths.ts';
import { platformPrompt, type ServiceNotes } from '#shared/runs/system-prompt.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { NamingError } from '#shared/tools/tool-names.ts';
import { packageOf, type EditorLibrary } from '../ports.ts';
import { at, choiceOf, rangesOf, runtimeToolsOf } from './agent-value.ts';
import type { ManifestValue } from './manifest-document.ts';

/** A stretch of the system prompt, by who wrote it. */
export interface PromptStretch {
  readonly by: 'platform' | 'author' | 'pi';
  readonly text: string;
}

/**
 * The whole system prompt of the first run of the agent as it stands, stretch by stretch; joined they are
 * what the model gets once its services are connected. A manifest with faults, of which no run is made, is
 * read as far as it can be.
 */
export function assemblePrompt(
  manifest: ManifestValue,
  prompt: string,
  library: EditorLibrary,
): readonly PromptStretch[] {
  const { timeout, name, display_name: displayName } = manifest;
  const agentName =
    typeof displayName === 'string' ? displayName : typeof name === 'string' ? likelyDisplayName(name) : '';
  const limit = typeof timeout === 'number' ? timeout : DEFAULT_TIMEOUT_SECONDS;
  const paths = new PackagePaths();
  const skillSections = skillsPart(manifest, library, paths);
  const services = servicesOf(manifest, library);
  return [
    {
      by: 'platform',
      text: platformPrompt({
        agentName,
        timeoutSeconds: Math.min(limit, MAX_TIMEOUT_SECONDS),
        workspaceBytes: WORKSPACE_BYTES,
        runtimeTools: runtimeToolsOf(manifest).flatMap((id) => currentRuntimeTool(id) ?? []),
        hasOutputSchema: hasOutput(manifest),
        services: services.map(({ displayName }) => displayName),
        serviceNotes: notesOn(services, library, paths),
        memory: NO_MEMORY,
      }),
    },
    { by: 'author', text: prompt },
    { by: 'pi', text: [...skillSections, `<cwd>\n${WORKSPACE_PATH}\n</cwd>`].map(sectionOf).join('') },
  ];
}

/** Of a first run. What later ones are told besides is known only then. */
const NO_MEMORY = { pins: [], noteCount: 0 };

/** An output schema that names no field asks for nothing. */
function hasOutput(manifest: ManifestValue): boolean {
  const schema = at(manifest, ['output', 'schema']);
  return isRecord(schema) && membersOf(schema['properties']).length > 0;
}

/** The services a run has calls for, by the plan that is made for a run. */
function servicesOf(manifest: ManifestValue, library: EditorLibrary): readonly RunIntegration[] {
  const planned = rangesOf(manifest, 'integrations').flatMap(([name]) => {
    const integration = packageOf(library, name, 'integration')?.manifest;
    if (integration?.type !== 'integration') return [];
    return [{ integration, choice: choiceOf(manifest, name), connections: [] }];
  });
  try {
    return planRunIntegrations(planned).filter(({ apis, server }) => apis.length > 0 || server !== undefined);
  } catch (error) {
    // A name that gives no namespace is a finding of the validator.
    if (error instanceof NamingError) return [];
    throw error;
  }
}

function notesOn(
  services: readonly RunIntegration[],
  library: EditorLibrary,
  paths: PackagePaths,
): readonly ServiceNotes[] {
  return services.flatMap(({ id, displayName }) =>
    packageOf(library, id, 'integration')?.content === undefined
      ? []
      : [{ service: displayName, path: paths.notesFile(id) }],
  );
}

/** What Pi says of the skills in the workspace: of each whose head has a description, the first of a name. */
function skillsPart(manifest: ManifestValue, library: EditorLibrary, paths: PackagePaths): readonly string[] {
  const skills = new Map<string, string>();
  for (const [packageName] of rangesOf(manifest, 'skills')) {
    const content = packageOf(library, packageName, 'skill')?.content;
    if (content === undefined) continue;
    const head = readFrontmatter(content);
    const folder = paths.skillFolder(packageName, head?.name);
    if (!head?.description?.trim() || head.fault !== undefined || head.isUntold) continue;
    const name = head.name || folder.slice(folder.lastIndexOf('/') + 1);
    if (skills.has(name)) continue;
    const members = { name, description: head.description, location: `${WORKSPACE_PATH}/${folder}/SKILL.md` };
    const lines = Object.entries(members).map(([tag, text]) => `    <${tag}>${escaped(text)}</${tag}>`);
    skills.set(name, ['  <skill>', ...lines, '  </skill>'].join('\n'));
  }
  if (skills.size === 0) return [];
  return [`<skills>\n${[SKILLS_INTRO, ...skills.values(), '</available_skills>'].join('\n')}\n</skills>`];
}

/** Pi's own words, which its package does not export alone; a test holds them against its builder. */
const SKILLS_INTRO = `The following skills provide specialized instructions for specific tasks.
Use the read tool to load a skill's file when the task matches its description.
Resolve relative paths against the skill's directory (parent of SKILL.md). Use absolute paths in tool calls.

<available_skills>`;

function sectionOf(text: string): string {
  return `\n\n${text}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
