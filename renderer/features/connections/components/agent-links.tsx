import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';

/** Agents by name, each a way to it. */
export function AgentLinks({ names }: { names: readonly string[] }) {
  const packages = useApp(({ library }) => library?.packages);
  return (
    <ul className="flex flex-wrap gap-x-4">
      {names.map((name) => (
        <li key={name}>
          <a
            href={placeLink({ name: 'package', kind: 'agent', packageName: name, tab: 'run' })}
            className="text-accent underline underline-offset-2"
          >
            {packages?.find((entry) => entry.name === name)?.displayName ?? name}
          </a>
        </li>
      ))}
    </ul>
  );
}
