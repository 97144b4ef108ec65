import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onEndSignal } from './end-signals.ts';

describe('signals that end the process', () => {
  const exits: unknown[] = [];
  beforeEach(() => {
    exits.length = 0;
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      exits.push(code);
      return undefined as never;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('are one request when they come at once, as to a group whose parent hands them on', () => {
    const heard: string[] = [];
    using _signals = onEndSignal((signal) => heard.push(signal));
    process.emit('SIGHUP');
    vi.advanceTimersByTime(300);
    process.emit('SIGHUP');
    process.emit('SIGTERM');
    expect(heard).toEqual(['SIGHUP']);
    expect(exits).toEqual([]);
  });

  it('end it at once when a person asks again', () => {
    using _signals = onEndSignal(() => undefined);
    process.emit('SIGINT');
    vi.advanceTimersByTime(600);
    process.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  it('are given back', () => {
    const before = process.listenerCount('SIGTERM');
    onEndSignal(() => undefined)[Symbol.dispose]();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
