import { ExternalLink } from '#renderer/components/external-link.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import { installGuide } from '../model/install-guide.ts';

/** What to install on this operating system. */
export function InstallSteps() {
  const description = useRequest('app.describe', {});
  const guide = installGuide(description.data?.platform);
  return (
    <section aria-label={`What to install on ${guide.system}`}>
      <h3 className="font-semibold">Install one of these on {guide.system}</h3>
      <ul className="mt-2 space-y-2.5">
        {guide.steps.map((step) => (
          <li key={step.title}>
            <ExternalLink url={step.url}>{step.title}</ExternalLink>
            <p className="text-ink-soft">{step.detail}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
