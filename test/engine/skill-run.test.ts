import { expect, it } from 'vitest';
import { startModelProvider } from '#test/peers/model-provider.ts';
import { dropped } from '#test/support/test-packages.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';
import { buildZip } from '#test/support/zip-builder.ts';

const SKILL = `---
name: count-words
description: Counts the words of a file. Use it when a number of words is asked for.
---
Run scripts/count.sh with the file.
`;

it('gives an agent its skills: the model is told of them, and their scripts run', async () => {
  await using provider = await startModelProvider({ vendor: 'compatible' });
  await using whole = await WholeApplication.open();
  const manifest = { name: '@test/count-words', version: '1.2.0', type: 'skill', schema_version: '0.2' };
  const archive = buildZip([
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'SKILL.md', content: SKILL },
    { name: 'scripts/count.sh', content: '#!/bin/sh\nwc -w < "$1"\n' },
  ]);
  const { packages } = whole.application;
  const preview = await packages.previewImport(
    dropped({ 'skill.afps': archive }),
    AbortSignal.timeout(30_000),
  );
  const items = preview.items.map(({ id }) => ({ id, as: 'version' as const }));
  expect((await packages.commitImport(preview.token, items)).problems).toEqual([]);

  provider.answer(
    turn([
      { tool: 'read', input: { path: '.pi/skills/count-words/SKILL.md' } },
      {
        tool: 'bash',
        input: { command: 'echo one two three > x; .pi/skills/count-words/scripts/count.sh x' },
      },
    ]),
    turn('Three.'),
  );
  const agent = await whole.writeAgent({ dependencies: { skills: { '@test/count-words': '^1.0.0' } } });
  const runId = await whole.start(agent, await whole.addProvider(provider.baseUrl));
  const { detail, events } = await whole.record(runId);
  expect(detail.summary.status).toBe('success');

  const [first] = provider.requests.filter(({ method }) => method === 'POST');
  const told = Buffer.from(first?.body ?? '').toString('utf8');
  expect(told).toContain('Counts the words of a file.');
  expect(told).toContain('/workspace/.pi/skills/count-words/SKILL.md');
  // Calls of one turn end in any order.
  const results = new Map(
    events.flatMap(({ data }) => (data.type === 'tool.ended' ? [[data.tool, data]] : [])),
  );
  expect([...results.values()].filter(({ isError }) => isError)).toEqual([]);
  expect(JSON.stringify(results.get('read')?.content)).toContain('Run scripts/count.sh');
  expect(JSON.stringify(results.get('bash')?.content)).toContain('3');
});
