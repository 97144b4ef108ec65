import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import { CopyButton } from './copy-button.tsx';
import { highlightJson } from './json-tokens.ts';
import { ScrollRegion } from './scroll-region.tsx';

const tokenTones = {
  key: 'text-accent',
  string: 'text-success',
  number: 'text-caution',
  literal: 'text-caution',
  plain: undefined,
} as const;

/** Text larger than this is shown without colours: a hundred thousand spans would stall the page. */
const MAX_HIGHLIGHTED = 200_000;

/** Text of a program, in full, with a way to copy it. */
export function CodeBlock({
  text,
  label,
  language = 'text',
  wrap = true,
  numbered = false,
  maxHeight = 'max-h-96',
}: {
  text: string;
  /** What it is; also the name of the scrollable region. */
  label: string;
  language?: 'text' | 'json';
  wrap?: boolean;
  numbered?: boolean;
  maxHeight?: string;
}) {
  return (
    <div className="group/code relative rounded-md bg-sunken">
      <div className="absolute top-1 right-1 z-10 rounded-md bg-sunken opacity-0 transition-opacity group-focus-within/code:opacity-100 group-hover/code:opacity-100">
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <ScrollRegion label={label} className={classes('rounded-md', maxHeight)}>
        <pre className={classes('px-3 py-2 font-mono text-sm', wrap && 'wrap-anywhere whitespace-pre-wrap')}>
          {numbered ? <NumberedLines text={text} language={language} /> : renderCode(text, language)}
        </pre>
      </ScrollRegion>
    </div>
  );
}

function renderCode(text: string, language: 'text' | 'json'): ReactNode {
  if (language !== 'json' || text.length > MAX_HIGHLIGHTED) return text;
  return highlightJson(text).map((token) =>
    token.kind === 'plain' ? (
      token.text
    ) : (
      <span key={token.start} className={tokenTones[token.kind]}>
        {token.text}
      </span>
    ),
  );
}

function NumberedLines({ text, language }: { text: string; language: 'text' | 'json' }) {
  const lines = text.split('\n');
  return (
    <span className="grid grid-cols-[auto_1fr] gap-x-4">
      {lines.map((line, index) => (
        // Lines have no other identity than their number.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={index} className="contents">
          <span className="text-right text-ink-faint select-none">{index + 1}</span>
          <span>{renderCode(line, language)}</span>
        </span>
      ))}
    </span>
  );
}
