import { describe, expect, it } from 'vitest';
import { EMPTY_PROJECTION, projectEvents, type TimelineItem } from '#shared/runs/projection.ts';
import type { RunEventData } from '#shared/events/run-event.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import { runPhaseSchema, type RunPhase, type RunSummary } from '#shared/runs/run.ts';
import { shownArguments } from './call-arguments.ts';
import { summarizeCall } from './call-summary.ts';
import { fileKind, resolveOutputPath } from './file-kind.ts';
import { diffReplacement } from '#renderer/components/line-diff.ts';
import { describeOutput, readableNumber, tableOf } from './output-table.ts';
import { phaseSteps } from './phase-steps.ts';
import { runClock, runStatus } from './run-state.ts';
import { filterTimeline, TIMELINE_KINDS } from './timeline-filter.ts';

function timeline(...data: RunEventData[]): readonly TimelineItem[] {
  return projectEvents(
    EMPTY_PROJECTION,
    data.map((entry, index) => ({ sequence: index + 1, at: index, data: entry })),
  ).timeline;
}

describe('summarizeCall', () => {
  it.each([
    ['bash', { command: 'python3 - <<EOF\nprint(1)\nEOF' }, 'python3 - <<EOF print(1) EOF'],
    ['read', { path: 'a.csv', offset: 20 }, 'a.csv from line 20'],
    ['write', { path: 'a.py', content: 'x\ny' }, 'a.py (2 lines)'],
    ['grep', { pattern: 'total', path: 'src' }, 'total in src'],
    ['custom', { id: 4, tags: ['a'] }, 'id: 4, tags: ["a"]'],
    // The sandbox's word is not to be trusted: arguments may be anything.
    ['bash', { command: 7 }, ''],
    ['bash', 'text', '"text"'],
    ['bash', undefined, ''],
  ])('tells %s %j as "%s"', (tool, input, line) => {
    expect(summarizeCall({ tool, arguments: input })).toBe(line);
  });

  it('keeps to one line of bounded length', () => {
    const line = summarizeCall({ tool: 'bash', arguments: { command: 'x '.repeat(100_000) } });
    expect(line.length).toBeLessThanOrEqual(200);
  });
});

describe('shownArguments', () => {
  it('shows edits as replacements, old form and new, and anything else as it came', () => {
    const edit = { oldText: 'a', newText: 'b' };
    expect(shownArguments('edit', { path: 'x', edits: [edit] })).toMatchObject({
      kind: 'edits',
      edits: [edit],
    });
    expect(shownArguments('edit', { path: 'x', ...edit })).toMatchObject({ kind: 'edits' });
    expect(shownArguments('edit', { path: 'x', edits: [{ oldText: 1 }] }).kind).toBe('json');
    expect(shownArguments('write', { content: 'x' }).kind).toBe('json');
  });
});

describe('diffReplacement', () => {
  it('marks only the lines that change', () => {
    const lines = diffReplacement('a\nb\nc\n', 'a\nB\nc\nd\n').map(({ kind, text }) => `${kind[0]} ${text}`);
    expect(lines).toEqual(['s a', 'r b', 'a B', 's c', 'a d']);
  });
});

describe('filterTimeline', () => {
  const items = timeline(
    { type: 'turn.started', turn: 1 },
    { type: 'message.ended', turn: 1, text: 'Reading the file', stopReason: 'toolUse' },
    {
      type: 'tool.started',
      turn: 1,
      callId: 'a',
      tool: 'bash',
      source: 'sandbox',
      arguments: { command: 'wc -l sales.csv' },
    },
    { type: 'turn.started', turn: 2 },
    { type: 'log.written', level: 'warn', message: 'Two rows have no price' },
  );
  const kinds = (filter: Parameters<typeof filterTimeline>[1]) =>
    filterTimeline(items, filter).map(({ kind }) => kind);

  it('shows the very same list when nothing is filtered, so that nothing renders', () => {
    expect(filterTimeline(items, { kinds: TIMELINE_KINDS, query: ' ' })).toBe(items);
  });

  it('keeps the heading of a turn only when something of it is left', () => {
    expect(kinds({ kinds: ['delivered'], query: '' })).toEqual(['turn', 'log']);
    expect(kinds({ kinds: ['text', 'tools'], query: '' })).toEqual(['turn', 'message', 'call']);
  });

  it('finds every word in whatever order, in arguments too', () => {
    expect(kinds({ kinds: TIMELINE_KINDS, query: 'sales wc' })).toEqual(['turn', 'call']);
    expect(kinds({ kinds: TIMELINE_KINDS, query: 'PRICE' })).toEqual(['turn', 'log']);
    expect(kinds({ kinds: TIMELINE_KINDS, query: 'nowhere' })).toEqual([]);
  });
});

describe('describeOutput', () => {
  const schema = {
    type: 'object',
    required: ['rows', 'title'],
    properties: {
      rows: { type: 'integer', description: 'Rows read' },
      title: { type: 'string' },
      note: { type: 'string' },
      totals: { type: 'array', items: { type: 'object', properties: { sum: { type: 'number' } } } },
    },
  };
  const states = (output: unknown) =>
    describeOutput(schema, output).map(({ field, state }) => `${field} ${state}`);

  it('tells what is right, wrong, missing, left out and not asked for', () => {
    const output = { rows: 'many', totals: [{ sum: 1 }, { sum: '2' }], other: true };
    expect(states(output)).toEqual([
      'rows invalid',
      'title missing',
      'note absent',
      'totals invalid',
      'other extra',
    ]);
    expect(describeOutput(schema, output)[3]?.errors.join()).toContain('/1/sum');
  });

  it('takes an output that is no object, and one without a schema', () => {
    expect(states('text')).toEqual(['rows missing', 'title missing', 'note absent', 'totals absent']);
    expect(describeOutput(undefined, { a: null })).toMatchObject([{ type: 'null', state: 'unchecked' }]);
  });

  it('makes a table only of a list of objects', () => {
    expect(tableOf([{ a: 1 }, { b: 2, a: 3 }])?.columns).toEqual(['a', 'b']);
    expect(tableOf([1, { a: 1 }])).toBeUndefined();
    expect(tableOf([])).toBeUndefined();
  });

  it.each([
    [75.21111111111111, '75.211111'],
    [41217.32, '41217.32'],
    [123456789012.34, '123456789012.34'],
    [-0.1, '-0.1'],
    // Rounding would make nothing of these.
    [0.00000042, '4.2e-7'],
    [0.00012345678, '0.00012345678'],
    [1e21, '1e+21'],
    [6769, '6769'],
  ])('rounds the long fraction of %d in a table, and no more', (value, text) => {
    expect(readableNumber(value)).toBe(text);
  });
});

describe('files', () => {
  it.each([
    ['report.MD', undefined, 'markdown'],
    ['chart.svg', 'image/svg+xml', 'image'],
    ['data', 'application/json', 'json'],
    ['.gitignore', undefined, 'text'],
    ['archive.zip', 'application/zip', 'text'],
  ])('previews %s (%s) as %s', (path, mediaType, kind) => expect(fileKind(path, mediaType)).toBe(kind));

  it.each([
    ['report.md', 'chart.svg', 'chart.svg'],
    ['a/b/report.md', '../img/x%20y.png?v=1', 'a/img/x y.png'],
    ['report.md', './a/./b.png', 'a/b.png'],
    // Nothing outside of outputs/ and no address may be asked for.
    ['report.md', '../secret', undefined],
    ['report.md', 'https://example.org/x.png', undefined],
    ['report.md', 'data:text/html,x', undefined],
    ['report.md', '/etc/passwd', undefined],
  ])('%s means %s as %s', (document, reference, path) => {
    expect(resolveOutputPath(document, reference)).toBe(path);
  });
});

describe('phaseSteps', () => {
  const entered = (...phases: RunPhase[]) =>
    phases.map((phase) => ({
      phase,
      state: 'done' as const,
      startedAt: 0,
      durationMs: 1,
      detail: undefined,
      fraction: undefined,
    }));
  const passedOver = (...phases: RunPhase[]) =>
    phaseSteps(entered(...phases)).flatMap(({ name, isPassedOver }) => (isPassedOver ? [name] : []));

  it('shows no step as open that the run has left behind it', () => {
    expect(passedOver('engine', 'containers')).toEqual(['image']);
    expect(passedOver('engine', 'image')).toEqual([]);
    expect(passedOver()).toEqual([]);
    expect(phaseSteps([]).map(({ name }) => name)).toEqual(runPhaseSchema.options);
  });
});

describe('runStatus', () => {
  const summary: RunSummary = {
    id: 'r',
    agentId: 'a',
    agentVersion: '1.0.0',
    agentName: 'A',
    status: 'interrupted',
    model: { providerId: 'p', modelId: 'm' },
    modelName: 'M',
    trigger: 'app',
    createdAt: 1000,
    timeoutSeconds: 300,
    usage: NO_USAGE,
    hasOutput: false,
    fileCount: 0,
    lastSequence: 2,
  };
  const started: RunEventData = { type: 'run.started', timeoutSeconds: 60, tools: [] };
  const project = (...data: RunEventData[]) =>
    projectEvents(
      EMPTY_PROJECTION,
      data.map((entry, index) => ({ sequence: index + 1, at: 5000 + index, data: entry })),
    );

  it('shows a run as interrupted whose record has no end, once the record is read', () => {
    expect(runStatus(project(started), summary)).toBe('running');
    expect(runStatus(project(started, { type: 'turn.started', turn: 1 }), summary)).toBe('interrupted');
  });

  it('counts the limit from the start of the loop, not from the click', () => {
    expect(runClock(project(started), summary, 8000)).toEqual({ elapsed: 3000, limit: 60_000 });
    expect(runClock(EMPTY_PROJECTION, summary, 8000)).toEqual({ elapsed: 7000, limit: 300_000 });
    expect(runClock(EMPTY_PROJECTION, undefined, 8000)).toBeUndefined();
  });
});
