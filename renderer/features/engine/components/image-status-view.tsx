import { Hammer } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { Badge } from '#renderer/components/badge.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { ProgressBar } from '#renderer/components/progress.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { ImageStatus } from '#shared/engines/engine-report.ts';

const words: Record<ImageStatus['state'], string> = {
  unknown: 'Slipway has not looked for its image yet.',
  absent: 'The image is built when the first run needs it. Building it now makes that run start at once.',
  building: 'The image is being built. Runs that need it wait for it.',
  ready: 'The image is there; runs start at once.',
  failed: 'The last build failed. The next run tries again.',
};

/** The image agents run in: whether it is there, its build as it goes, and the way to build it. */
export function ImageStatusView({ image }: { image: ImageStatus }) {
  const prepare = useAction('engine.prepareImage');
  const building = image.state === 'building';
  const percent = image.fraction === undefined ? undefined : `${Math.round(image.fraction * 100)} %`;
  return (
    <section aria-label="Image" className="space-y-3">
      <div className="flex items-center gap-3">
        <p className="flex-1 text-ink-soft">{words[image.state]}</p>
        {image.state === 'ready' && <Badge tone="success">Ready</Badge>}
        <Button
          icon={<Hammer size={14} />}
          busy={building}
          onClick={() => prepare.mutate({})}
          variant={image.state === 'failed' ? 'primary' : 'secondary'}
        >
          {building ? 'Building' : image.state === 'failed' ? 'Build again' : 'Build now'}
        </Button>
      </div>
      {image.tag && <p className="font-mono text-sm wrap-anywhere text-ink-faint">{image.tag}</p>}
      {building && (
        <div>
          <p className="mb-1.5 flex gap-3 text-sm">
            <span className="flex-1">{image.step ?? 'Preparing the build'}</span>
            <span className="text-ink-faint">{percent}</span>
          </p>
          <ProgressBar label="Image build" fraction={image.fraction} valueText={image.step ?? 'Building'} />
        </div>
      )}
      {image.problem && image.state === 'failed' && <ProblemCard problem={image.problem} />}
      {image.lines.length > 0 && image.state !== 'ready' && (
        <ScrollRegion role="log" label="Build output" className="max-h-60 rounded-md bg-sunken">
          <pre className="px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-soft">
            {image.lines.join('\n')}
          </pre>
        </ScrollRegion>
      )}
    </section>
  );
}
