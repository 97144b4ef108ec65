import { describe, expect, it } from 'vitest';
import { systemPrompt } from '#shared/runs/system-prompt.ts';
import { testLibrary } from '../test-support/library.ts';
import { assemblePrompt } from './assembled-prompt.ts';

/** Pi's own builder, which its package does not export. */
const BUILDER = '../../../../node_modules/@earendil-works/pi-coding-agent/dist/core/system-prompt.js';

const agent = {
  type: 'agent',
  name: '@you/tide-report',
  timeout: 9_999,
  dependencies: { integrations: { '@acme/mail': '^1.0.0', '@acme/code': '*', '@acme/gone': '*' } },
  runtime_tools: ['output', 'log', 'publish_document', 'add-memory'],
  output: { schema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
};

describe('the assembled prompt', () => {
  it('is what the run builds and Pi makes of it, letter by letter', async () => {
    const { buildSystemPrompt } = (await import(BUILDER)) as {
      buildSystemPrompt: (options: { customPrompt: string; cwd: string; skills: [] }) => string;
    };
    const joined = assemblePrompt(agent, '# Tides\n\nSay {{when}}.\n', testLibrary)
      .map(({ text }) => text)
      .join('');
    const configured = systemPrompt({
      agentName: 'Tide report',
      agentPrompt: '# Tides\n\nSay {{when}}.\n',
      timeoutSeconds: 1800,
      workspaceBytes: 512 * 1024 * 1024,
      runtimeTools: ['output', 'log'],
      hasOutputSchema: true,
      services: ['Acme Mail'],
    });
    expect(joined).toBe(buildSystemPrompt({ customPrompt: configured, cwd: '/workspace', skills: [] }));
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
