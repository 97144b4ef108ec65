import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { DraftSession, type DraftFile, type SaveDraft } from './draft-session.ts';

const read = {
  draftId: 4,
  manifestText: '{"name":"@me/a"}',
  content: { path: 'prompt.md', text: 'Say hello.' },
} satisfies Partial<PackageDetail>;

function conflict(): ProblemError {
  return new ProblemError({ code: 'draft_conflict', title: 'Changed', detail: 'Changed meanwhile.' });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a draft that is written', () => {
  it('is saved after a pause, only the file that changed, over the state it was read in', async () => {
    const saves: { files: readonly DraftFile[]; basedOn: number | undefined }[] = [];
    const session = new DraftSession(read, async (files, basedOn) => saves.push({ files, basedOn }) + 10);
    session.content?.text.change('Say goodbye.');
    expect(session.store.getState().status).toBe('changed');
    await vi.runAllTimersAsync();
    expect(saves).toEqual([{ files: [{ path: 'prompt.md', text: 'Say goodbye.' }], basedOn: 4 }]);
    expect(session.store.getState().status).toBe('saved');
    expect(session.basedOn).toBe(11);
  });

  it('saves again what was typed while a save was under way', async () => {
    const texts: string[] = [];
    let finish = (): void => undefined;
    const session = new DraftSession(read, (files) => {
      texts.push(files[0]?.text ?? '');
      return new Promise((resolve) => (finish = () => resolve(5)));
    });
    session.content?.text.change('One.');
    await vi.advanceTimersByTimeAsync(2_000);
    session.content?.text.change('Two.');
    finish();
    await vi.advanceTimersByTimeAsync(2_000);
    finish();
    await vi.runAllTimersAsync();
    expect(texts).toEqual(['One.', 'Two.']);
    expect(session.hasUnsaved).toBe(false);
  });

  it('waits for a decision after a conflict, and then saves over the other', async () => {
    const based: (number | undefined)[] = [];
    const session = new DraftSession(read, async (_, basedOn) => {
      based.push(basedOn);
      if (basedOn !== undefined) throw conflict();
      return 9;
    });
    session.content?.text.change('Mine.');
    await vi.runAllTimersAsync();
    session.content?.text.change('Mine, still.');
    await vi.runAllTimersAsync();
    expect(session.store.getState().status).toBe('conflict');
    await session.save({ overwrite: true });
    expect(based).toEqual([4, undefined]);
    expect(session.store.getState().status).toBe('saved');
  });

  it('does not send a text that is no JSON, and keeps what was refused', async () => {
    const save = vi.fn<SaveDraft>(() =>
      Promise.reject(
        new ProblemError({ code: 'package_invalid', title: 'Errors', detail: 'It has errors.' }),
      ),
    );
    const session = new DraftSession(read, save);
    session.document.text.change('{"name":');
    await vi.runAllTimersAsync();
    expect(save).not.toHaveBeenCalled();
    session.document.text.change('{"name":"@me/b"}');
    await vi.runAllTimersAsync();
    expect(session.store.getState()).toMatchObject({
      status: 'refused',
      problem: { code: 'package_invalid' },
    });
    expect(session.hasUnsaved).toBe(true);
  });

  it('is saved once it is again what was saved', async () => {
    const save = vi.fn<SaveDraft>();
    const session = new DraftSession(read, save);
    session.content?.text.change('Other.');
    session.content?.text.undo();
    await vi.runAllTimersAsync();
    expect(session.store.getState().status).toBe('saved');
    expect(save).not.toHaveBeenCalled();
  });
});

describe('a draft that is changed elsewhere', () => {
  const save: SaveDraft = () => Promise.resolve(7);

  it('is followed by steps that undo takes back, and saves over the state it was followed to', async () => {
    const session = new DraftSession(read, save);
    const there = { ...read, draftId: 9, manifestText: '{"name":"@me/a","timeout":5}' };
    expect(session.follow(there, Date.now())).toBe(true);
    expect(session.document.reading).toMatchObject({ value: { timeout: 5 } });
    expect([session.hasUnsaved, session.basedOn]).toEqual([false, 9]);
    session.document.undo();
    expect(session.unsaved).toEqual([{ path: 'manifest.json', text: read.manifestText }]);
    // Only other files were changed: nothing to tell.
    await session.save();
    expect(session.follow({ ...read, draftId: 12 }, Date.now() + 1)).toBe(false);
    expect(session.basedOn).toBe(12);
  });

  it('is not followed over what is typed here, nor to an answer from before the last save', async () => {
    const session = new DraftSession(read, save);
    const there = { ...read, draftId: 9, content: { path: 'prompt.md', text: 'Theirs.' } };
    session.content?.text.change('Mine.');
    expect(session.follow(there, Date.now() + 1)).toBe(false);
    await session.save();
    expect(session.follow(there, session.savedAt - 1)).toBe(false);
    expect(session.content?.text.text).toBe('Mine.');
  });
});
