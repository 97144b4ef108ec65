import { Pencil, Trash2 } from 'lucide-react';
import { IconButton } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { CHECKPOINT_KEY, type Pin } from '#shared/memory/memory.ts';
import { MemoryOrigin } from './memory-origin.tsx';

/** One slot with what can be done about it. */
export function PinRow({ agentId, pin, onEdit }: { agentId: string; pin: Pin; onEdit: () => void }) {
  const remove = useAction('memory.removePin');
  const { key, scope, content } = pin;
  return (
    <li className="flex items-start gap-2 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-mono font-medium">{key}</span>
          {key === CHECKPOINT_KEY && (
            <span className="text-sm text-ink-faint">where the last run stopped</span>
          )}
        </p>
        <ScrollRegion label={`Content of ${key}`} className="my-1 max-h-60">
          {typeof content === 'string' ? (
            <p className="wrap-anywhere whitespace-pre-wrap">{content}</p>
          ) : (
            <JsonTree label={`Content of ${key} as a tree`} value={content} />
          )}
        </ScrollRegion>
        <MemoryOrigin at={pin.changedAt} runId={pin.runId} scope={scope} />
      </div>
      <CopyButton
        text={() => (typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))}
        label={`Copy ${key}`}
      />
      <IconButton size="small" label={`Edit ${key}`} icon={<Pencil size={14} />} onClick={onEdit} />
      <IconButton
        size="small"
        label={`Delete ${key}`}
        icon={<Trash2 size={14} />}
        onClick={() => remove.mutate({ agentId, key, scope })}
      />
    </li>
  );
}
