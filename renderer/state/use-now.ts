import { useEffect, useState } from 'react';

/**
 * The present time, renewed every so often while `active`. Milliseconds.
 * @param nextMoment the next time at which the screen changes: that is told then, not at the next renewal
 */
export function useNow(
  everyMs: number,
  active = true,
  nextMoment?: (now: number) => number | undefined,
): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    const tick = () => setNow(Date.now());
    const first = setTimeout(tick);
    const timer = setInterval(tick, everyMs);
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [everyMs, active]);
  const moment = active ? nextMoment?.(now) : undefined;
  const isSoon = moment !== undefined && moment - now <= everyMs;
  useEffect(() => {
    if (!isSoon) return;
    // A timer may be a millisecond early, and would then change nothing.
    const timer = setTimeout(() => setNow(Math.max(Date.now(), moment)), moment - Date.now());
    return () => clearTimeout(timer);
  }, [isSoon, moment]);
  return now;
}
