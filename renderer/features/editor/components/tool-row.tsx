import { ChevronRight, TriangleAlert } from 'lucide-react';
import { useId, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { classes } from '#renderer/components/classes.ts';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { formatCount } from '#renderer/format/format.ts';
import { scopeRisk } from '#shared/tools/scope-risk.ts';
import type { PlannedTool } from '../model/tool-plan.ts';

/** One tool, with all there is to know of it when it is opened. */
export function ToolRow({
  tool,
  isReadOnly,
  onToggle,
}: {
  tool: PlannedTool;
  isReadOnly: boolean;
  onToggle: (isChosen: boolean) => void;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const scopes = [...new Set(tool.scopes.flatMap((needed) => needed.scopes))];
  return (
    <li className="px-3 hover:bg-hover/60">
      <div className="flex items-start gap-2.5 py-1">
        <input
          id={id}
          type="checkbox"
          className="mt-1 ml-0.5 shrink-0"
          checked={tool.isChosen}
          disabled={tool.isFixed || isReadOnly}
          onChange={(event) => onToggle(event.target.checked)}
        />
        <label htmlFor={id} className="flex min-w-0 flex-1 items-baseline gap-3">
          <span className="shrink-0 font-mono text-sm font-medium">{tool.id}</span>
          <span className={classes('min-w-0 text-ink-soft', !isOpen && 'truncate')}>{tool.description}</span>
        </label>
        {scopes.slice(0, 2).map((scope) => (
          <ScopeBadge key={scope} scope={scope} />
        ))}
        {scopes.length > 2 && <Badge>+{scopes.length - 2}</Badge>}
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Details of ${tool.id}`}
          onClick={() => setOpen(!isOpen)}
          className="flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-faint hover:bg-hover hover:text-ink"
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={classes('transition-transform', isOpen && 'rotate-90')}
          />
        </button>
      </div>
      {isOpen && <ToolDetails tool={tool} />}
    </li>
  );
}

function ToolDetails({ tool }: { tool: PlannedTool }) {
  return (
    <dl className="mb-2 ml-6.5 grid grid-cols-[7rem_1fr] gap-x-4 gap-y-1.5 border-l-2 border-line pl-3 text-sm">
      {tool.wireNames.length > 0 && (
        <>
          <dt className="text-ink-faint">The model sees</dt>
          <dd className="space-y-0.5">
            {tool.wireNames.map((name) => (
              <span key={name} className="flex items-center gap-1 font-mono">
                {name}
                <CopyButton text={name} label={`Copy ${name}`} />
              </span>
            ))}
          </dd>
        </>
      )}
      <dt className="text-ink-faint">Cost</dt>
      <dd>
        {tool.isGuess
          ? `at least ${formatCount(tool.tokens)} tokens each turn; its definition is known once its server is connected`
          : `about ${formatCount(tool.tokens)} tokens each turn`}
      </dd>
      {tool.scopes.map(({ authKey, scopes }) => (
        <div key={authKey} className="contents">
          <dt className="text-ink-faint">Needs ({authKey})</dt>
          <dd className="flex flex-wrap gap-1">
            {scopes.map((scope) => (
              <ScopeBadge key={scope} scope={scope} />
            ))}
          </dd>
        </div>
      ))}
      {tool.schema && (
        <>
          <dt className="text-ink-faint">Arguments</dt>
          <dd>
            <CodeBlock
              label={`Arguments of ${tool.id}`}
              text={JSON.stringify(tool.schema, null, 2)}
              language="json"
              maxHeight="max-h-64"
            />
          </dd>
        </>
      )}
    </dl>
  );
}

/** A scope as its value, marked when it weighs much. */
export function ScopeBadge({ scope, label }: { scope: string; label?: string }) {
  const risk = scopeRisk(scope, label);
  const short = scope.replace(/^https?:\/\/[^/]+\/(?:auth\/)?/, '…/');
  return (
    <Badge tone={risk === undefined ? 'neutral' : 'caution'}>
      {risk !== undefined && <TriangleAlert size={11} aria-label={`It ${risk}.`} />}
      <span className="max-w-48 truncate font-mono" title={scope}>
        {short}
      </span>
    </Badge>
  );
}
