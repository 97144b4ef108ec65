import { useSyncExternalStore } from 'react';
import type { PackageType } from '#shared/manifest/dialect.ts';

export const PACKAGE_TABS = [
  'run',
  'overview',
  'connections',
  'playground',
  'server',
  'edit',
  'files',
  'versions',
  'links',
  'findings',
  'memory',
  'history',
] as const;
export type PackageTab = (typeof PACKAGE_TABS)[number];
export const RUN_TABS = ['timeline', 'output', 'files', 'calls', 'memory', 'details'] as const;
export type RunTab = (typeof RUN_TABS)[number];
export const SETTINGS_SECTIONS = ['engine', 'models', 'network', 'packages', 'appearance', 'about'] as const;
export type SettingsSection = (typeof SETTINGS_SECTIONS)[number];

/** Where the person is in the app. It stands in the address's fragment, so that back and reload work. */
export type Place =
  /** Packages of one kind, or all of them. */
  | { readonly name: 'library'; readonly kind?: PackageType | undefined }
  | PackagePlace
  | { readonly name: 'runs'; readonly status?: string | undefined; readonly agentId?: string | undefined }
  | { readonly name: 'run'; readonly runId: string; readonly tab?: RunTab | undefined }
  | { readonly name: 'connections' }
  /** MCP servers that are tried, or one of them. */
  | { readonly name: 'try'; readonly integrationId?: string | undefined }
  | { readonly name: 'settings'; readonly section: SettingsSection };

/** A package, in one of its states. */
export interface PackagePlace {
  readonly name: 'package';
  readonly kind: PackageType;
  /** `@scope/name`. */
  readonly packageName: string;
  readonly tab: PackageTab;
  /** A version to look at; the draft or else the latest when absent. */
  readonly version?: string | undefined;
  /** File that is shown. */
  readonly file?: string | undefined;
  /** The two states that are compared. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Run whose input fills the form. */
  readonly again?: string | undefined;
}

const KIND_STEPS = {
  agent: 'agents',
  skill: 'skills',
  integration: 'integrations',
  'mcp-server': 'mcp-servers',
} as const satisfies Record<PackageType, string>;

/** Links of the first app led to these parts of an agent by other names. */
const FORMER_TABS: Readonly<Record<string, Pick<PackagePlace, 'tab' | 'file'>>> = {
  prompt: { tab: 'files', file: 'prompt.md' },
  manifest: { tab: 'files', file: 'manifest.json' },
};

/** The tab a package is opened at. */
export function firstTab(kind: PackageType): PackageTab {
  return kind === 'agent' ? 'run' : 'overview';
}

/** The place a fragment such as `#/runs/42/output` names; the agents for anything else. */
export function parsePlace(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const [screen, first, second] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  const kind = kindOf(screen);
  if (kind) return first ? packagePlace(kind, first, second, parameters) : { name: 'library', kind };
  switch (screen) {
    case 'library':
      return { name: 'library' };
    case 'runs':
      if (first) return { name: 'run', runId: first, tab: member(RUN_TABS, second) };
      return {
        name: 'runs',
        status: parameters.get('status') ?? undefined,
        agentId: parameters.get('agent') ?? undefined,
      };
    case 'connections':
      return { name: 'connections' };
    case 'try':
      return { name: 'try', ...(first && { integrationId: first }) };
    case 'settings':
      return { name: 'settings', section: member(SETTINGS_SECTIONS, first) ?? 'engine' };
    default:
      return { name: 'library', kind: 'agent' };
  }
}

function kindOf(step: string | undefined): PackageType | undefined {
  const [kind] = Object.entries(KIND_STEPS).find(([, known]) => known === step) ?? [];
  return kind as PackageType | undefined;
}

function packagePlace(
  kind: PackageType,
  packageName: string,
  step: string | undefined,
  parameters: URLSearchParams,
): PackagePlace {
  const given = (key: string) => parameters.get(key) ?? undefined;
  const former = step === undefined ? undefined : FORMER_TABS[step];
  return {
    name: 'package',
    kind,
    packageName,
    tab: former?.tab ?? member(PACKAGE_TABS, step) ?? firstTab(kind),
    version: given('version'),
    file: given('file') ?? former?.file,
    from: given('from'),
    to: given('to'),
    again: given('again'),
  };
}

/** The fragment of a place, for a link. */
export function placeLink(place: Place): string {
  switch (place.name) {
    case 'library':
      return `#/${place.kind ? KIND_STEPS[place.kind] : 'library'}`;
    case 'package': {
      const { version, file, from, to, again } = place;
      const path = `${KIND_STEPS[place.kind]}/${encodeURIComponent(place.packageName)}/${place.tab}`;
      return `#/${path}${query({ version, file, from, to, again })}`;
    }
    case 'runs':
      return `#/runs${query({ status: place.status, agent: place.agentId })}`;
    case 'run':
      return `#/runs/${encodeURIComponent(place.runId)}${place.tab ? `/${place.tab}` : ''}`;
    case 'connections':
      return '#/connections';
    case 'try':
      return `#/try${place.integrationId ? `/${encodeURIComponent(place.integrationId)}` : ''}`;
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
