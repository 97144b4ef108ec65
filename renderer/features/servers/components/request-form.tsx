import { SendHorizontal } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import {
  ArgumentsEditor,
  keepArguments,
  keptArguments,
  useTypedArguments,
} from '#renderer/features/playground/index.ts';
import type { ServerList, ServerRequest, ServerSession } from '#shared/ipc/server-routes.ts';
import type { ServerItem } from '../model/server-items.ts';

const VERBS: Record<ServerList, string> = {
  tools: 'Call',
  prompts: 'Get',
  resources: 'Read',
  templates: 'Read',
};

/** One thing that a server lists, with what it takes and a way to ask for it. */
export function RequestForm({
  session,
  list,
  item,
  isBusy,
  onSend,
}: {
  session: ServerSession;
  list: ServerList;
  item: ServerItem;
  isBusy: boolean;
  onSend: (request: ServerRequest) => void;
}) {
  const place = `${list} ${item.key}`;
  const typed = useTypedArguments(
    item.fields,
    () => keptArguments(session.subject, place),
    (given) => keepArguments(session.subject, place, given),
  );
  // A tool without a form may take arguments all the same: its schema may allow any.
  const takesArguments = item.fields.length > 0 || list === 'tools';
  const unavailable = isBusy ? 'A request is under way' : typed.obstacle;
  return (
    <form
      aria-label="Request"
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (unavailable === undefined) onSend(item.request(typed.given));
      }}
    >
      <div>
        <h3 className="font-mono font-semibold wrap-anywhere">{item.key}</h3>
        {item.title !== item.key && <p className="font-medium">{item.title}</p>}
        {item.description !== '' && (
          <p className="mt-0.5 text-sm wrap-anywhere whitespace-pre-wrap text-ink-soft">{item.description}</p>
        )}
        <details className="mt-1">
          <summary className="cursor-pointer text-sm text-ink-soft">All the server says of it</summary>
          <div className="mt-1">
            <CodeBlock
              label={`What the server says of ${item.key}`}
              text={JSON.stringify(item.raw, null, 2)}
              language="json"
              maxHeight="max-h-60"
            />
          </div>
        </details>
      </div>
      {takesArguments && <ArgumentsEditor typed={typed} />}
      <div className="sticky -bottom-6 -mx-6 border-y border-line bg-canvas px-6 py-3">
        <Button type="submit" variant="primary" icon={<SendHorizontal size={14} />} unavailable={unavailable}>
          {VERBS[list]}
        </Button>
      </div>
    </form>
  );
}
