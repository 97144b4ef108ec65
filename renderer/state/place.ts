import { useSyncExternalStore } from 'react';

export const AGENT_TABS = ['run', 'prompt', 'manifest', 'findings', 'history'] as const;
export type AgentTab = (typeof AGENT_TABS)[number];
export const RUN_TABS = ['timeline', 'output', 'files', 'details'] as const;
export type RunTab = (typeof RUN_TABS)[number];
export const SETTINGS_SECTIONS = ['engine', 'models', 'appearance', 'about'] as const;
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

/** Where the person is in the app. It stands in the address's fragment, so that back and reload work. */
export type Place =
  | { readonly name: 'library' }
  | {
      readonly name: 'agent';
      readonly agentId: string;
      readonly tab: AgentTab;
      /** Run whose input fills the form. */
      readonly again?: string | undefined;
    }
  | { readonly name: 'runs'; readonly status?: string | undefined; readonly agentId?: string | undefined }
  | { readonly name: 'run'; readonly runId: string; readonly tab?: RunTab | undefined }
  | { readonly name: 'settings'; readonly section: SettingsSection };

/** The place a fragment such as `#/runs/42/output` names; the library for anything else. */
export function parsePlace(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const [screen, first, second] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  switch (screen) {
    case 'agents':
      if (!first) return { name: 'library' };
      return {
        name: 'agent',
        agentId: first,
        tab: member(AGENT_TABS, second) ?? 'run',
        again: parameters.get('again') ?? undefined,
      };
    case 'runs':
      if (first) return { name: 'run', runId: first, tab: member(RUN_TABS, second) };
      return {
        name: 'runs',
        status: parameters.get('status') ?? undefined,
        agentId: parameters.get('agent') ?? undefined,
      };
    case 'settings':
      return { name: 'settings', section: member(SETTINGS_SECTIONS, first) ?? 'engine' };
    default:
      return { name: 'library' };
  }
}

/** The fragment of a place, for a link. */
export function placeLink(place: Place): string {
  switch (place.name) {
    case 'library':
      return '#/agents';
    case 'agent':
      return `#/agents/${encodeURIComponent(place.agentId)}/${place.tab}${query({ again: place.again })}`;
    case 'runs':
      return `#/runs${query({ status: place.status, agent: place.agentId })}`;
    case 'run':
      return `#/runs/${encodeURIComponent(place.runId)}${place.tab ? `/${place.tab}` : ''}`;
    case 'settings':
      return `#/settings/${place.section}`;
  }
}

/** Goes to a place. `replace` leaves no step back to the present one. */
export function goTo(place: Place, options: { replace?: boolean } = {}): void {
  const link = placeLink(place);
  if (!options.replace) {
    window.location.hash = link;
    return;
  }
  window.history.replaceState(window.history.state, '', link);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The present place, followed. */
export function usePlace(): Place {
  const fragment = useSyncExternalStore(onFragment, () => window.location.hash);
  return parsePlace(fragment);
}

function onFragment(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function member<T extends string>(values: readonly T[], value: string | undefined): T | undefined {
  return values.find((known) => known === value);
}

function query(parameters: Record<string, string | undefined>): string {
  const present = Object.entries(parameters).flatMap(([key, value]) => (value ? [[key, value]] : []));
  return present.length > 0 ? `?${new URLSearchParams(present)}` : '';
}

/** Decodes one part of a path; a broken escape stays as it is. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
