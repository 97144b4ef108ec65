import { useEffect, useRef, useState } from 'react';
import type { TimelineItem } from '#shared/runs/projection.ts';

/** A screen reader is told of new log lines at most this often. Milliseconds. */
const INTERVAL = 2500;

/** What to say aloud of the log lines that came since the last word; only of those that come while open. */
export function useLogAnnouncement(timeline: readonly TimelineItem[], isLive: boolean): string {
  const [text, setText] = useState('');
  const latest = useRef(timeline);
  useEffect(() => {
    latest.current = timeline;
  });
  useEffect(() => {
    if (!isLive) return;
    let told = latest.current.length;
    const timer = setInterval(() => {
      const logs = latest.current.slice(told).filter((item) => item.kind === 'log');
      told = latest.current.length;
      const last = logs.at(-1);
      if (!last) return;
      setText(logs.length > 1 ? `${logs.length} log lines. ${last.message}` : last.message);
    }, INTERVAL);
    return () => clearInterval(timer);
  }, [isLive]);
  return text;
}
