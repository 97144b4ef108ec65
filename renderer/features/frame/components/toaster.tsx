import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { useStore } from 'zustand';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { problemPlace } from '#renderer/components/problem-card.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import type { Notice } from '#renderer/state/notices.ts';

/** How long a good word stays. An error stays until it is put away. Milliseconds. */
const GOOD_WORD_DURATION = 6000;

/** Shows the app's notices in the corner. F8 takes the keyboard there. */
export function Toaster() {
  const { notices } = useServices();
  const shown = useStore(notices.store, (state) => state.notices);
  return (
    <Toast.Provider swipeDirection="right" label="Notice">
      {shown.map((notice) => (
        <NoticeToast key={notice.id} notice={notice} onDismiss={() => notices.dismiss(notice.id)} />
      ))}
      <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-100 max-w-[calc(100vw-32px)] flex-col gap-2 focus:outline-none" />
    </Toast.Provider>
  );
}

function NoticeToast({ notice, onDismiss }: { notice: Notice; onDismiss: () => void }) {
  const { problem, action } = notice;
  const isProblem = notice.tone === 'problem';
  const place = problem && problemPlace(problem);
  return (
    <Toast.Root
      type={isProblem ? 'foreground' : 'background'}
      duration={isProblem ? Number.POSITIVE_INFINITY : GOOD_WORD_DURATION}
      onOpenChange={(open) => {
        if (!open) onDismiss();
      }}
      data-problem={problem?.code}
      className="flex animate-appear gap-3 rounded-lg bg-raised py-2.5 pr-1.5 pl-3.5 shadow-float"
    >
      {isProblem ? (
        <CircleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
      ) : (
        <CircleCheck size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-success" />
      )}
      <div className="min-w-0 flex-1 space-y-0.5 wrap-anywhere">
        <Toast.Title className="font-semibold">{notice.title}</Toast.Title>
        {problem && (
          <Toast.Description asChild>
            <div className="space-y-0.5">
              <p>{problem.detail}</p>
              {place && <p className="font-mono text-sm text-ink-soft">{place}</p>}
              {problem.action && <p className="text-ink-soft">{problem.action}</p>}
              {problem.causes?.slice(0, 4).map((cause) => (
                <p key={`${cause.pointer ?? ''} ${cause.detail}`} className="text-sm text-ink-soft">
                  {[cause.pointer, cause.detail].filter(Boolean).join(' ')}
                </p>
              ))}
            </div>
          </Toast.Description>
        )}
        {action && (
          <div className="pt-1">
            <Toast.Action altText={action.label} asChild>
              <Button size="small" onClick={() => action.run()}>
                {action.label}
              </Button>
            </Toast.Action>
          </div>
        )}
      </div>
      <Toast.Close asChild>
        <IconButton size="small" label="Dismiss" icon={<X size={14} />} />
      </Toast.Close>
    </Toast.Root>
  );
}
