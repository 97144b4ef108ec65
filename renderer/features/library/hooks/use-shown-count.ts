import { useCallback, useState, type RefCallback } from 'react';

/** Items drawn at first: more than a usual window shows, so that the list is there at once. */
const FIRST = 24;
/** Items added when the end comes near. */
const STEP = 60;

/** How many of a long list are drawn; more as the person scrolls to the mark at its end. */
export function useShownCount(listKey: string): {
  readonly count: number;
  readonly endMark: RefCallback<HTMLElement>;
} {
  const [shown, setShown] = useState({ listKey, count: FIRST });
  const count = shown.listKey === listKey ? shown.count : FIRST;
  const endMark = useCallback(
    (element: HTMLElement | null) => {
      if (!element) return;
      const observer = new IntersectionObserver(
        (entries) => {
          if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
          setShown((known) => ({
            listKey,
            count: (known.listKey === listKey ? known.count : FIRST) + STEP,
          }));
        },
        { rootMargin: '600px' },
      );
      observer.observe(element);
      return () => observer.disconnect();
    },
    // Another mark after each step: one that stays in sight would tell nothing new.
    // oxlint-disable-next-line react/exhaustive-deps
    [listKey, count],
  );
  return { count, endMark };
}
