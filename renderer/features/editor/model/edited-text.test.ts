import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replacementBetween } from '#renderer/components/code/replacement.ts';
import { EditedText } from './edited-text.ts';

function typeAll(text: EditedText, offset: number, letters: string): void {
  letters
    .split('')
    .forEach((letter, index) => text.type([{ offset: offset + index, length: 0, text: letter }]));
}

test('what is typed in one go is one step, a new word another', () => {
  const text = new EditedText('', () => 0);
  typeAll(text, 0, 'two words');
  text.undo();
  expect(text.text).toBe('two ');
  text.undo();
  expect(text.text).toBe('');
  text.redo();
  text.redo();
  expect(text.text).toBe('two words');
});

test('a pause begins a step', () => {
  let now = 0;
  const text = new EditedText('', () => now);
  typeAll(text, 0, 'a');
  now = 5_000;
  typeAll(text, 1, 'b');
  text.undo();
  expect(text.text).toBe('a');
});

test('letters typed after redo are no part of what was redone', () => {
  const text = new EditedText('', () => 0);
  typeAll(text, 0, 'ab');
  text.undo();
  text.redo();
  typeAll(text, 2, 'c');
  text.undo();
  expect(text.text).toBe('ab');
});

test('deleting backwards is one step and comes back whole', () => {
  const text = new EditedText('abc', () => 0);
  for (const offset of [2, 1, 0]) text.type([{ offset, length: 1, text: '' }]);
  expect(text.text).toBe('');
  text.undo();
  expect(text.text).toBe('abc');
});

test('several cursors change at once', () => {
  const text = new EditedText('a a a', () => 0);
  text.type([0, 2, 4].map((offset) => ({ offset, length: 1, text: 'bb' })));
  expect(text.text).toBe('bb bb bb');
  text.undo();
  expect(text.text).toBe('a a a');
});

test('a byte order mark stays, and no offset counts it', () => {
  const text = new EditedText('\uFEFF{}', () => 0);
  text.type([{ offset: 1, length: 0, text: ' ' }]);
  expect(text.text).toBe('{ }');
  expect(text.source).toBe('\uFEFF{ }');
});

type Action = 'undo' | 'redo' | { at: number; length: number; text: string; joins: boolean };

const action = fc.oneof(
  fc.constantFrom<Action>('undo', 'redo'),
  fc.record({ at: fc.nat(), length: fc.nat(4), text: fc.string({ maxLength: 4 }), joins: fc.boolean() }),
);

test('whatever is done, undoing all gives the exact text, and redoing all the exact end', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(action, { maxLength: 40 }), (start, actions) => {
      const text = new EditedText(`x${start}`, () => 0);
      let mirror = text.text;
      text.subscribe(({ offset, length, text: inserted }) => {
        mirror = mirror.slice(0, offset) + inserted + mirror.slice(offset + length);
      });
      for (const step of actions) {
        if (step === 'undo' || step === 'redo') {
          text[step]();
        } else {
          const offset = step.at % (text.text.length + 1);
          const length = Math.min(step.length, text.text.length - offset);
          if (step.joins) text.type([{ offset, length, text: step.text }]);
          else text.change(text.text.slice(0, offset) + step.text + text.text.slice(offset + length));
        }
        expect(mirror).toBe(text.text);
      }
      while (text.canRedo) text.redo();
      const end = text.text;
      while (text.canUndo) text.undo();
      expect(text.text).toBe(`x${start}`);
      while (text.canRedo) text.redo();
      expect(text.text).toBe(end);
    }),
  );
});

test('the replacement between two texts makes the one of the other and cuts no character', () => {
  const unit = fc.constantFrom('a', 'b', '\r\n', '\n', '😀', '😁', 'é');
  const anyText = fc.array(unit, { maxLength: 12 }).map((units) => units.join(''));
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const replacement = replacementBetween(before, after);
      const { offset, length, text } = replacement ?? { offset: 0, length: 0, text: '' };
      expect(before.slice(0, offset) + text + before.slice(offset + length)).toBe(after);
      expect(text.isWellFormed()).toBe(true);
      expect(before.slice(offset, offset + length).isWellFormed()).toBe(true);
    }),
  );
});
