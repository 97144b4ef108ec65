import { lazy, Suspense, type ComponentType } from 'react';
import { Loading } from './empty-state.tsx';

/**
 * A screen whose code is fetched when it is first shown, or beforehand while the page has nothing to do, so
 * that the first screen waits for its own code only. `label` says meanwhile what is coming.
 */
export function lazyScreen<Props extends object>(
  label: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const fetchCode = async () => ({ default: await load() });
  // TypeScript cannot see that what is lazy takes the same properties.
  const Screen = lazy(fetchCode) as unknown as ComponentType<Props>;
  whenIdle(() => void fetchCode().catch(() => undefined));
  return function LazyScreen(props: Props) {
    return (
      <Suspense fallback={<Loading label={label} />}>
        <Screen {...props} />
      </Suspense>
    );
  };
}

/** Milliseconds after which a page that is just opened has long painted its first screen. */
const AFTER_FIRST_PAINT_MS = 3000;

function whenIdle(work: () => void): void {
  setTimeout(() => requestIdleCallback(work), AFTER_FIRST_PAINT_MS);
}
