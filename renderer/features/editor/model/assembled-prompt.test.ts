import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSkillsFromDir } from '@earendil-works/pi-coding-agent';
import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '#shared/manifest/skill-frontmatter.ts';
import { PackagePaths } from '#shared/runs/package-paths.ts';
import { systemPrompt } from '#shared/runs/system-prompt.ts';
import type { LibraryPackage } from '../ports.ts';
import { testLibrary } from '../test-support/library.ts';
import { assemblePrompt } from './assembled-prompt.ts';

/** Pi's own builder, which its package does not export. */
const BUILDER = '../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/system-prompt.js';

const agent = {
  type: 'agent',
  name: '@you/tide-report',
  timeout: 9_999,
  dependencies: {
    integrations: { '@acme/mail': '^1.0.0', '@acme/notes': '*', '@acme/code': '*', '@acme/gone': '*' },
    skills: { '@acme/csv': '*', '@acme/rival': '*', '@acme/untold': '*', '@acme/broken': '*' },
  },
  integrations_configuration: {
    '@acme/code': { tools: [] },
    '@acme/notes': { tools: ['search_notes'] },
  },
  runtime_tools: ['output', 'log', 'publish_document', 'note', 'add-memory'],
  output: { schema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
};

const skill = (name: string, head: string): LibraryPackage => ({
  name,
  type: 'skill',
  displayName: name,
  description: '',
  versions: ['1.0.0'],
  content: `---\n${head}\n---\nWords.\n`,
});

const library = {
  ...testLibrary,
  packages: [
    ...testLibrary.packages
      .filter(({ type }) => type !== 'skill')
      .map((known) => (known.name === '@acme/mail' ? { ...known, content: 'Be brief.' } : known)),
    skill('@acme/csv', 'name: csv\ndescription: "Reads <tables> & \'more\'."'),
    skill('@acme/rival', 'name: csv\ndescription: Another of that name.'),
    skill('@acme/untold', 'name: untold\ndescription: For people.\ndisable-model-invocation: true'),
    skill('@acme/broken', 'name: broken\ndescription: x: ['),
  ],
};

/** Puts the skills into a workspace as a run does, and gives what Pi finds there. */
async function loadedSkills(workspace: string): Promise<{ filePath: string }[]> {
  const paths = new PackagePaths();
  const found = new Map<string, { name: string; filePath: string }>();
  for (const name of Object.keys(agent.dependencies.skills)) {
    const content = library.packages.find((known) => known.name === name)?.content ?? '';
    const folder = join(workspace, paths.skillFolder(name, readFrontmatter(content)?.name));
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'SKILL.md'), content);
    for (const loaded of loadSkillsFromDir({ dir: folder, source: 'path' }).skills) {
      if (!found.has(loaded.name)) found.set(loaded.name, loaded);
    }
  }
  return [...found.values()].map((loaded) => ({
    ...loaded,
    filePath: loaded.filePath.replace(workspace, '/workspace'),
  }));
}

describe('the assembled prompt', () => {
  it('is what the run builds and Pi makes of it, letter by letter', async () => {
    const { buildSystemPrompt } = (await import(BUILDER)) as {
      buildSystemPrompt: (options: { customPrompt: string; cwd: string; skills: unknown[] }) => string;
    };
    await using workspace = await mkdtempDisposable(join(tmpdir(), 'slipway-prompt-'));
    const joined = assemblePrompt(agent, '# Tides\n\nSay {{when}}.\n', library)
      .map(({ text }) => text)
      .join('');
    const configured = systemPrompt({
      agentName: 'Tide report',
      agentPrompt: '# Tides\n\nSay {{when}}.\n',
      timeoutSeconds: 1800,
      workspaceBytes: 512 * 1024 * 1024,
      runtimeTools: ['output', 'log', 'publish_file', 'note'],
      hasOutputSchema: true,
      memory: { pins: [], noteCount: 0 },
      services: ['Acme Mail', 'Notes'],
      serviceNotes: [{ service: 'Acme Mail', path: '.pi/integrations/mail.md' }],
    });
    const skills = await loadedSkills(workspace.path);
    expect(skills).toHaveLength(2);
    expect(joined).toBe(buildSystemPrompt({ customPrompt: configured, cwd: '/workspace', skills }));
  });

  it('is told of a manifest that is half-written', () => {
    const [platform] = assemblePrompt(
      { timeout: 'soon', output: [], runtime_tools: 'log', dependencies: { integrations: { '@': '*' } } },
      '',
      testLibrary,
    );
    expect(platform?.text).toContain('300 seconds');
    expect(platform?.text).not.toContain('## Result');
  });
});
