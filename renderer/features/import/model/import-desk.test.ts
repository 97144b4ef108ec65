import { describe, expect, it, vi } from 'vitest';
import type { ImportPreview } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { ImportDesk, type ImportDeskOptions } from './import-desk.ts';

const item = {
  id: '0',
  name: '@me/a',
  choices: ['version', 'draft', 'skip'],
} as ImportPreview['items'][number];
const preview: ImportPreview = { token: 'the-token', items: [item], problems: [], warnings: [] };

function deskOf(
  answers: Record<string, (input: unknown) => unknown>,
  given: Partial<ImportDeskOptions> = {},
) {
  const asked: [string, unknown][] = [];
  const onTaken = vi.fn();
  const request = (route: string, input: unknown) => {
    asked.push([route, input]);
    return Promise.resolve().then(() => answers[route]?.(input) ?? {});
  };
  const desk = new ImportDesk({
    client: { request: request as ImportDeskOptions['client']['request'] },
    bridge: {
      registerFile: (file) => {
        const { name, size } = file as File;
        return Promise.resolve({ ok: true, data: { handle: `h-${name}`, name, size } });
      },
    },
    onTaken,
    onWatched: vi.fn(),
    ...given,
  });
  return { desk, asked, onTaken };
}

const file = (name: string) => ({ file: new File(['x'], name), path: `folder/${name}` });

describe('an import', () => {
  it('hands over files with their paths, in their order, and proposes what main proposes', async () => {
    const { desk, asked } = deskOf({ 'library.previewImport': () => preview });
    await desk.takeFiles(['b', 'a', 'c', 'd', 'e', 'f'].map(file));
    const [, input] = asked[0] ?? [];
    expect(input).toEqual({
      source: {
        kind: 'files',
        files: ['b', 'a', 'c', 'd', 'e', 'f'].map((name) => ({
          handle: `h-${name}`,
          path: `folder/${name}`,
        })),
      },
    });
    expect(desk.store.getState()).toEqual({ phase: 'preview', preview, decisions: { 0: 'version' } });
  });

  it('takes what was decided, and tells of it', async () => {
    const imported = [{ name: '@me/a', version: '1.0.0', as: 'draft' }];
    const { desk, asked, onTaken } = deskOf({
      'library.previewImport': () => preview,
      'library.commitImport': () => ({ imported, problems: [] }),
    });
    await desk.takeGitHub('https://github.com/a/b');
    desk.decideOne('0', 'draft');
    await desk.commit();
    expect(asked.at(-1)).toEqual([
      'library.commitImport',
      { token: 'the-token', decisions: [{ id: '0', as: 'draft' }] },
    ]);
    expect(onTaken).toHaveBeenCalledWith(imported, preview);
    expect(desk.store.getState().phase).toBe('closed');
  });

  it('shows an item as it is once it was mended, and keeps what was decided about the others', async () => {
    const [first] = preview.items;
    if (!first) throw new Error('The preview has no item.');
    const two: ImportPreview = {
      ...preview,
      items: [
        { ...first, state: 'invalid', choices: ['skip'] },
        { ...first, id: '1' },
      ],
    };
    const { desk, asked } = deskOf({
      'library.previewImport': () => two,
      'library.mendImport': () => ({
        ...two,
        items: [
          { ...first, choices: ['draft', 'skip'], mended: ['Write it so'] },
          { ...first, id: '1' },
        ],
      }),
    });
    await desk.takeGitHub('https://github.com/a/b');
    desk.decideOne('1', 'skip');
    await desk.mend('0', { code: 'field_value', pointer: '/version' });
    expect(asked.at(-1)).toEqual([
      'library.mendImport',
      { token: 'the-token', id: '0', finding: { code: 'field_value', pointer: '/version' } },
    ]);
    expect(desk.store.getState()).toMatchObject({
      phase: 'preview',
      decisions: { '0': 'draft', '1': 'skip' },
      preview: { items: [{ mended: ['Write it so'] }, {}] },
    });
  });

  it('keeps problems in sight, of a source that cannot be read and of a package that was refused', async () => {
    const problem = { code: 'github_unreachable', title: 'No answer', detail: 'GitHub does not answer.' };
    const failing = deskOf({
      'library.previewImport': () => {
        throw new ProblemError(problem);
      },
    });
    await failing.desk.takeGitHub('https://github.com/a/b');
    expect(failing.desk.store.getState()).toEqual({ phase: 'choosing', problem });

    const refusing = deskOf({
      'library.previewImport': () => preview,
      'library.commitImport': () => ({ imported: [], problems: [problem] }),
    });
    await refusing.desk.takeGitHub('https://github.com/a/b');
    await refusing.desk.commit();
    expect(refusing.desk.store.getState()).toMatchObject({ phase: 'done', outcome: { problems: [problem] } });
    expect(refusing.onTaken).not.toHaveBeenCalled();
  });

  it('lets main forget what was put away, and does not come back with a late answer', async () => {
    let answer: (read: ImportPreview) => void = () => undefined;
    const { desk, asked } = deskOf({
      'library.previewImport': () => new Promise((resolve) => (answer = resolve)),
    });
    const reading = desk.takeFiles([file('a')]);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    desk.close();
    answer(preview);
    await reading;
    expect(desk.store.getState().phase).toBe('closed');

    const other = deskOf({ 'library.previewImport': () => preview });
    await other.desk.takeFiles([file('a')]);
    other.desk.close();
    expect(other.asked.at(-1)).toEqual(['library.cancelImport', { token: 'the-token' }]);
  });

  it('does not lose a decision that waits to another drop', async () => {
    const { desk, asked } = deskOf({ 'library.previewImport': () => preview });
    await desk.takeFiles([file('a')]);
    await desk.takeFiles([file('b')]);
    expect(asked).toHaveLength(1);
    expect(desk.store.getState().phase).toBe('preview');
  });
});
