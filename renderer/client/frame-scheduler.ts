/** Longest wait for a frame; a hidden page gets none. Milliseconds. */
const HIDDEN_PAGE_DELAY = 200;

/** Runs work in the next animation frame, or soon when the page draws none. Returns the way to cancel. */
export type Schedule = (work: () => void) => () => void;

export const scheduleFrame: Schedule = (work) => {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const once = () => {
    cancel();
    work();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, HIDDEN_PAGE_DELAY);
  return cancel;
};
