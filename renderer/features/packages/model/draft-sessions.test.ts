import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import type { DraftFile, SaveDraft } from './draft-session.ts';
import { DraftSessions } from './draft-sessions.ts';

const detail = {
  draftId: 4,
  manifestText: '{"name":"@me/a"}',
  content: { path: 'prompt.md', text: 'Say hello.' },
  summary: { name: '@me/a' },
} as PackageDetail;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A port that notes what it was told to keep and to forget. */
function setUp(save: SaveDraft = () => Promise.resolve(7)) {
  const told: (readonly DraftFile[] | 'forget')[] = [];
  const writers: string[] = [];
  const typedTexts = (writer: string) => {
    writers.push(writer);
    return {
      keep: async (files: readonly DraftFile[]) => told.push(files),
      forget: async () => told.push('forget'),
    };
  };
  return { told, writers, port: { save, typedTexts }, sessions: new DraftSessions() };
}

it('stay the same while they can follow the draft, and begin anew when another file is edited', () => {
  const { sessions, port } = setUp();
  const first = sessions.open(detail, port);
  expect(sessions.open({ ...detail, draftId: 5 }, port)).toBe(first);
  const second = sessions.open({ ...detail, content: undefined }, port);
  expect(second).not.toBe(first);
  second.document.text.change('{}');
  expect(sessions.open(detail, port)).toBe(second);
  expect(sessions.hasUnsaved).toBe(true);
  sessions.forget('@me/a');
  expect(sessions.open({ ...detail, content: undefined }, port)).not.toBe(second);
});

it('keep what is typed from the first letters until it is saved', async () => {
  const { sessions, port, told } = setUp();
  const session = sessions.open(detail, port);
  session.content?.text.change('Say');
  await vi.advanceTimersByTimeAsync(100);
  session.content?.text.change('Say more.');
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toEqual([[{ path: 'prompt.md', text: 'Say' }], [{ path: 'prompt.md', text: 'Say more.' }]]);
  await vi.runAllTimersAsync();
  expect(session.hasUnsaved).toBe(false);
  expect(told.slice(2)).toEqual(['forget']);
});

it('keep JSON that has a fault, which no save takes, until it is given up', async () => {
  const { sessions, port, told, writers } = setUp();
  sessions.open(detail, port).document.text.change('{"name":');
  await sessions.keepTyped('@me/a');
  expect(told).toEqual([[{ path: 'manifest.json', text: '{"name":' }]]);
  expect(sessions.isOwn('@me/a', writers[0] ?? '')).toBe(true);
  sessions.forget('@me/a');
  await vi.runAllTimersAsync();
  expect(told.slice(1)).toEqual(['forget']);
});
