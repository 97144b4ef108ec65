import { useMemo } from 'react';
import { formatCount } from '#renderer/format/format.ts';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import { useForm } from '../hooks/form-context.ts';
import { rangesOf, runtimeToolsOf } from '../model/agent-value.ts';
import { assemblePrompt, type PromptStretch } from '../model/assembled-prompt.ts';

const WRITERS: Readonly<Record<PromptStretch['by'], string>> = {
  platform: 'Slipway writes',
  author: 'You write',
  pi: 'Pi adds',
};

/** All that stands in the system prompt of a run, and who wrote which part of it. */
export function AssembledPrompt({ prompt }: { prompt: string }) {
  const { manifest, library } = useForm();
  const stretches = useMemo(() => assemblePrompt(manifest, prompt, library), [manifest, prompt, library]);
  const remembers = runtimeToolsOf(manifest).some((tool) => tool === 'pin' || tool === 'note');
  const services = rangesOf(manifest, 'integrations').length;
  const tokens = stretches.reduce((sum, { text }) => sum + estimateTokens(text), 0);
  return (
    <div className="min-h-0 flex-1 overflow-auto rounded-md border border-line">
      <p className="border-b border-line px-5 py-2 text-sm text-ink-soft">
        About {formatCount(tokens)} tokens{services > 0 && ' once its services are connected'}, before the
        tools. The input of the run comes after it as the first message, fenced off as data.
        {remembers && ' Later runs are told besides what earlier ones pinned, and how much they noted.'}
      </p>
      {stretches.map(({ by, text }) => (
        <section
          key={by}
          aria-label={WRITERS[by]}
          className="grid grid-cols-[7.5rem_1fr] border-b border-line last:border-b-0"
        >
          <h3 className="px-5 py-3 text-sm text-ink-faint">{WRITERS[by]}</h3>
          {text.trim() === '' ? (
            <p className="py-3 pr-5 text-ink-faint">Nothing yet.</p>
          ) : (
            <pre
              className={
                by === 'author'
                  ? 'bg-accent-soft/50 px-4 py-3 font-mono text-sm whitespace-pre-wrap wrap-anywhere'
                  : 'px-4 py-3 font-mono text-sm whitespace-pre-wrap wrap-anywhere text-ink-soft'
              }
            >
              {text.trim()}
            </pre>
          )}
        </section>
      ))}
    </div>
  );
}
