import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

const STEP = 24;

/** Two panes side by side; the second one's width is the person's, by pointer or by arrow keys. */
export function Split({
  label,
  storageKey,
  initial,
  min,
  max,
  first,
  second,
}: {
  label: string;
  /** Where the width is remembered. */
  storageKey: string;
  initial: number;
  min: number;
  max: number;
  first: ReactNode;
  /** The first pane has the whole width while there is none. */
  second: ReactNode | undefined;
}) {
  const [width, setWidth] = useState(() =>
    clamp(Number(localStorage.getItem(storageKey)) || initial, min, max),
  );
  const drag = useRef<{ x: number; width: number } | undefined>(undefined);
  const change = (next: number) => {
    const held = clamp(next, min, max);
    setWidth(held);
    localStorage.setItem(storageKey, String(held));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = (event: PointerEvent) => {
    if (drag.current) change(drag.current.width + drag.current.x - event.clientX);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') change(width + STEP);
    else if (event.key === 'ArrowRight') change(width - STEP);
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">{first}</div>
      {second !== undefined && (
        <>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label={label}
            aria-valuenow={width}
            aria-valuemin={min}
            aria-valuemax={max}
            tabIndex={0}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={() => (drag.current = undefined)}
            onKeyDown={onKeyDown}
            className="relative w-px shrink-0 cursor-col-resize bg-line before:absolute before:inset-y-0 before:-inset-x-1 hover:bg-line-strong focus-visible:bg-accent"
          />
          <div className="flex min-w-0 shrink-0 flex-col" style={{ width, maxWidth: '58%' }}>
            {second}
          </div>
        </>
      )}
    </div>
  );
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}
