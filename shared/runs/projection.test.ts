import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent, RunEventData } from '../events/run-event.ts';
import { NO_USAGE } from '../models/model.ts';
import { EMPTY_PROJECTION, projectEvents, type CallItem, type RunProjection } from './projection.ts';

function record(...data: RunEventData[]): RunEvent[] {
  return data.map((entry, index) => ({ sequence: index + 1, at: 1000 + index, data: entry }));
}

type ToolContent = Extract<RunEventData, { type: 'tool.ended' }>['content'];

const callId = fc.constantFrom('a', 'b', 'c');
const turn = fc.integer({ min: 1, max: 3 });
const path = fc.constantFrom('report.md', 'charts/a b.svg', '🚢.csv');
const problem = { code: 'file_too_large', title: 'Too large', detail: 'Over 100 MB.' };

/** Any order of events, the impossible ones too: the sandbox's word is not to be trusted. */
const eventData: fc.Arbitrary<RunEventData> = fc.oneof(
  fc.record({ type: fc.constant('turn.started' as const), turn }),
  fc.record({
    type: fc.constant('message.delta' as const),
    turn,
    channel: fc.constantFrom('text' as const, 'thinking' as const),
    text: fc.string({ maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('message.ended' as const),
    turn,
    text: fc.string({ maxLength: 4 }),
    stopReason: fc.constantFrom('stop', 'toolUse'),
  }),
  fc.record({
    type: fc.constant('tool.started' as const),
    turn,
    callId,
    tool: fc.constantFrom('bash', 'log'),
    source: fc.constantFrom('sandbox' as const, 'runtime' as const),
    arguments: fc.jsonValue(),
  }),
  fc.record({ type: fc.constant('tool.progress' as const), callId, text: fc.string() }),
  fc.record({
    type: fc.constant('tool.ended' as const),
    callId,
    tool: fc.constant('bash'),
    isError: fc.boolean(),
    content: fc.constant<ToolContent>([{ type: 'text', text: 'done' }]),
    truncated: fc.boolean(),
    bytes: fc.nat(),
    estimatedTokens: fc.nat(),
    durationMs: fc.nat(),
  }),
  fc.record({
    type: fc.constant('turn.ended' as const),
    turn,
    contextTokens: fc.nat(),
    contextWindow: fc.constant(128_000),
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    cacheReadTokens: fc.nat(),
    cacheWriteTokens: fc.nat(),
    durationMs: fc.nat(),
  }),
  fc.record({ type: fc.constant('file.written' as const), path, size: fc.nat(), modifiedAt: fc.nat() }),
  fc.record({ type: fc.constant('file.removed' as const), path }),
  fc.record({
    type: fc.constant('file.kept' as const),
    path,
    size: fc.nat(),
    mediaType: fc.constant('text/plain'),
    sha256: fc.constant('0'),
  }),
  fc.record({ type: fc.constant('file.skipped' as const), path, problem: fc.constant(problem) }),
  fc.record({
    type: fc.constant('log.written' as const),
    level: fc.constantFrom('info' as const, 'warn' as const, 'error' as const),
    message: fc.string(),
  }),
  fc.record({ type: fc.constant('output.emitted' as const), data: fc.jsonValue() }),
  fc.record({
    type: fc.constant('phase.started' as const),
    phase: fc.constantFrom('engine' as const, 'image' as const),
  }),
  fc.record({
    type: fc.constant('phase.ended' as const),
    phase: fc.constantFrom('engine' as const, 'image' as const),
    durationMs: fc.nat(),
  }),
  fc.record({
    type: fc.constant('run.ended' as const),
    status: fc.constantFrom('success' as const, 'failed' as const),
    usage: fc.constant(NO_USAGE),
    durationMs: fc.nat(),
  }),
);
const events = fc.array(eventData, { maxLength: 60 }).map((list) => record(...list));

describe('projectEvents', () => {
  it('gives the same model however the events are split into batches', () => {
    fc.assert(
      fc.property(events, fc.array(fc.nat({ max: 60 })), (list, cuts) => {
        const whole = projectEvents(EMPTY_PROJECTION, list);
        const bounds = [0, ...cuts.filter((cut) => cut < list.length).sort((a, b) => a - b), list.length];
        let model = EMPTY_PROJECTION;
        for (const [index, start] of bounds.entries())
          model = projectEvents(model, list.slice(start, bounds[index + 1]));
        expect(model).toEqual(whole);
      }),
    );
  });

  it('takes each event once, however often a reconnect repeats it', () => {
    fc.assert(
      fc.property(events, fc.array(fc.tuple(fc.nat({ max: 59 }), fc.nat({ max: 59 }))), (list, repeats) => {
        let model = EMPTY_PROJECTION;
        let reached = 0;
        for (const [from, length] of [...repeats, [0, list.length] as const]) {
          const start = Math.min(from, reached);
          model = projectEvents(model, list.slice(start, start + length));
          reached = Math.max(reached, Math.min(start + length, list.length));
        }
        expect(model).toEqual(projectEvents(EMPTY_PROJECTION, list));
      }),
    );
  });

  it('never changes the model it started from', () => {
    fc.assert(
      fc.property(events, events, (first, second) => {
        const before = projectEvents(EMPTY_PROJECTION, first);
        const copy = structuredClone(before);
        projectEvents(
          before,
          second.map((event) => ({ ...event, sequence: event.sequence + first.length })),
        );
        expect(before).toEqual(copy);
      }),
    );
  });

  it('stops at a gap, says so, and goes on when the missing events come', () => {
    fc.assert(
      fc.property(events, fc.nat(), (list, seed) => {
        fc.pre(list.length >= 2);
        const missing = 1 + (seed % (list.length - 1));
        const holed = projectEvents(EMPTY_PROJECTION, list.toSpliced(missing - 1, 1));
        expect(holed.lastSequence).toBe(missing - 1);
        expect(holed.gap).toEqual({ after: missing - 1, next: missing + 1 });
        expect(projectEvents(holed, list.slice(missing - 1))).toEqual(projectEvents(EMPTY_PROJECTION, list));
      }),
    );
  });

  it('keeps the identity of items that an event does not touch, so that their rows do not render', () => {
    const list = record(
      { type: 'turn.started', turn: 1 },
      { type: 'tool.started', turn: 1, callId: 'a', tool: 'bash', source: 'sandbox', arguments: {} },
      { type: 'log.written', level: 'info', message: 'one' },
      { type: 'tool.progress', callId: 'a', text: '50 %' },
    );
    const before = projectEvents(EMPTY_PROJECTION, list.slice(0, 3));
    const after = projectEvents(before, list);
    expect(after.timeline[0]).toBe(before.timeline[0]);
    expect(after.timeline[2]).toBe(before.timeline[2]);
    expect(after.timeline[1]).not.toBe(before.timeline[1]);
    expect(after.files).toBe(before.files);
    expect(projectEvents(after, list)).toBe(after);
  });

  it('marks calls the run left open as interrupted, and only those', () => {
    const model = projectEvents(
      EMPTY_PROJECTION,
      record(
        { type: 'tool.started', turn: 1, callId: 'a', tool: 'bash', source: 'sandbox', arguments: {} },
        { type: 'tool.started', turn: 1, callId: 'b', tool: 'bash', source: 'sandbox', arguments: {} },
        {
          type: 'tool.ended',
          callId: 'a',
          tool: 'bash',
          isError: false,
          content: [],
          truncated: false,
          bytes: 0,
          estimatedTokens: 0,
          durationMs: 5,
        },
        { type: 'run.ended', status: 'cancelled', usage: NO_USAGE, durationMs: 9 },
      ),
    );
    expect(callStates(model)).toEqual(['succeeded', 'interrupted']);
    expect(model.status).toBe('cancelled');
  });

  it('starts a new call when the sandbox uses a call id twice, instead of overwriting history', () => {
    const started = {
      type: 'tool.started',
      turn: 1,
      callId: 'a',
      tool: 'bash',
      source: 'sandbox',
      arguments: {},
    } as const;
    const ended: RunEventData = {
      type: 'tool.ended',
      callId: 'a',
      tool: 'bash',
      isError: true,
      content: [],
      truncated: false,
      bytes: 0,
      estimatedTokens: 0,
      durationMs: 5,
    };
    expect(callStates(projectEvents(EMPTY_PROJECTION, record(started, ended, started)))).toEqual([
      'failed',
      'running',
    ]);
  });

  it('takes the final text of a message over its deltas and keeps streamed thinking', () => {
    const model = projectEvents(
      EMPTY_PROJECTION,
      record(
        { type: 'message.delta', turn: 1, channel: 'thinking', text: 'hm' },
        { type: 'message.delta', turn: 1, channel: 'text', text: 'Hel' },
        { type: 'message.ended', turn: 1, text: 'Hello', stopReason: 'stop' },
        { type: 'message.ended', turn: 2, text: '', stopReason: 'toolUse' },
      ),
    );
    expect(model.timeline).toMatchObject([
      { kind: 'message', text: 'Hello', thinking: 'hm', streaming: false, stopReason: 'stop' },
    ]);
  });

  it('lets the last output win and says which ones it replaced', () => {
    const model = projectEvents(
      EMPTY_PROJECTION,
      record({ type: 'output.emitted', data: { n: 1 } }, { type: 'output.emitted', data: { n: 2 } }),
    );
    expect(model.output?.data).toEqual({ n: 2 });
    expect(model.timeline).toMatchObject([{ superseded: true }, { superseded: false }]);
  });

  it('can open a spilled result once it is kept, and says why one is not', () => {
    const spilled = (path: string): RunEventData => ({
      type: 'resource.spilled',
      callId: 'a',
      uri: `appstrate://api-response/run/${path}`,
      path,
      size: 9,
      mediaType: 'application/json',
    });
    const events = record(
      spilled('resources/a.json'),
      spilled('resources/b.json'),
      { type: 'resource.kept', path: 'resources/a.json', size: 10 },
      { type: 'resource.skipped', path: 'resources/b.json', problem },
      // Of what nobody was told before, nothing is known to show.
      { type: 'resource.kept', path: 'resources/c.json', size: 10 },
    );
    const { resources } = projectEvents(EMPTY_PROJECTION, events);
    expect([...resources.values()]).toMatchObject([
      { path: 'resources/a.json', size: 10, isKept: true, mediaType: 'application/json' },
      { path: 'resources/b.json', isKept: false, problem },
    ]);
    const flood = record(...Array.from({ length: 1500 }, (_, index) => spilled(`resources/${index}`)));
    expect(projectEvents(EMPTY_PROJECTION, flood).resources.size).toBe(1000);
  });

  it('follows a bounded number of written files but never leaves out one that was kept', () => {
    const written = Array.from({ length: 1500 }, (_, index): RunEventData => ({
      type: 'file.written',
      path: `f${index}`,
      size: 1,
      modifiedAt: 1,
    }));
    const kept: RunEventData = { type: 'file.kept', path: 'f1400', size: 1, mediaType: 'a/b', sha256: '0' };
    const model = projectEvents(EMPTY_PROJECTION, record(...written, kept));
    expect(model.files.size).toBe(1001);
    expect(model.omittedFiles).toEqual({ count: 1, atLeast: true });
    expect(model.files.get('f1400')).toMatchObject({ sha256: '0', changing: false });
  });
});

function callStates(model: RunProjection): CallItem['state'][] {
  return model.timeline.flatMap((item) => (item.kind === 'call' ? [item.state] : []));
}
