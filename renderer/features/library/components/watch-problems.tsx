import { Button } from '#renderer/components/button.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';

/** Followed folders whose last change was not taken. */
export function WatchProblems() {
  const watches = useApp(({ library }) => library?.watches);
  const unwatch = useAction('library.unwatchFolder');
  const faulty = (watches ?? []).filter(({ problem }) => problem !== undefined);
  if (faulty.length === 0) return null;
  return (
    <ul aria-label="Followed folders with problems" className="mb-4 max-w-190 space-y-2">
      {faulty.map(({ path, name, problem }) => (
        <li key={path}>
          {problem && (
            <ProblemCard
              tone="caution"
              problem={{ ...problem, title: `${name || path}: the last change was not taken` }}
            >
              <Button size="small" busy={unwatch.isPending} onClick={() => unwatch.mutate({ path })}>
                Stop following {path}
              </Button>
            </ProblemCard>
          )}
        </li>
      ))}
    </ul>
  );
}
