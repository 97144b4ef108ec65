import { ChevronRight, MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { classes } from '#renderer/components/classes.ts';
import type { MessageItem } from '#shared/runs/projection.ts';
import { Row, type RowProps } from './row.tsx';

/** Characters and lines from which a text is folded. */
const LONG_TEXT = 600;
const LONG_LINES = 7;

const NOT_DELIVERED =
  'The model’s plain text is never delivered: what counts is the output, the log and the files.';

/** What the model said. It is set back, because plain text is never delivered. */
export function MessageRow({ item, origin, isOpen, onToggle }: RowProps<MessageItem>) {
  const { text, thinking, streaming, errorMessage } = item;
  const isLong = text.length > LONG_TEXT || text.split('\n', LONG_LINES + 1).length > LONG_LINES;
  return (
    <Row
      at={item.at}
      origin={origin}
      icon={<MessageSquareText size={14} aria-hidden="true" className="text-ink-faint" />}
    >
      <div data-row tabIndex={-1}>
        <p className="float-right ml-4 text-xs leading-5 text-ink-faint" title={NOT_DELIVERED}>
          <span className="sr-only">Model’s text, </span>
          {streaming ? 'writing, not delivered' : 'not delivered'}
        </p>
        {thinking && <Thinking text={thinking} isStreaming={streaming && text === ''} />}
        {text && (
          <p className={classes('whitespace-pre-wrap text-ink-faint', isLong && !isOpen && 'line-clamp-6')}>
            {text}
          </p>
        )}
        {isLong && (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => onToggle(item.key)}
            className="text-sm text-accent underline underline-offset-2"
          >
            {isOpen ? 'Show less' : 'Show all'}
          </button>
        )}
        {errorMessage && <p className="whitespace-pre-wrap text-danger">{errorMessage}</p>}
      </div>
    </Row>
  );
}

function Thinking({ text, isStreaming }: { text: string; isStreaming: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex items-center gap-1 rounded-sm text-sm text-ink-faint hover:text-ink"
      >
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={classes('transition-transform', isOpen && 'rotate-90')}
        />
        Thinking{isStreaming && '…'}
      </button>
      {isOpen && (
        <p className="mt-0.5 mb-1 border-l-2 border-line pl-3 whitespace-pre-wrap text-ink-faint italic">
          {text}
        </p>
      )}
    </div>
  );
}
