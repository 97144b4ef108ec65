import { isRecord } from '#shared/manifest/plain.ts';

export interface ManifestFacts {
  /** Whether it is or has an MCP server. */
  readonly hasServer: boolean;
  readonly author: string | undefined;
  readonly license: string | undefined;
  readonly links: readonly { readonly label: string; readonly url: string }[];
  /** What a person does once, before the first use. */
  readonly setup: readonly { readonly label: string; readonly url: string | undefined }[];
}

const LINKS = [
  ['homepage', 'Homepage'],
  ['documentation', 'Documentation'],
  ['support', 'Support'],
] as const;

/** What a manifest says to people. A text that is no manifest says nothing. */
export function manifestFacts(manifestText: string): ManifestFacts {
  const manifest = parse(manifestText);
  const guide = isRecord(manifest['setup_guide']) ? manifest['setup_guide']['steps'] : undefined;
  const source = isRecord(manifest['source']) ? manifest['source']['kind'] : undefined;
  return {
    hasServer: manifest['type'] === 'mcp-server' || source === 'local' || source === 'remote',
    author: textOf(manifest['author']) ?? nameIn(manifest['author']),
    license: textOf(manifest['license']),
    links: LINKS.flatMap(([key, label]) => {
      const url = textOf(manifest[key]);
      return url?.startsWith('https://') ? [{ label, url }] : [];
    }),
    setup: (Array.isArray(guide) ? guide : []).flatMap((step: unknown) => {
      const label = isRecord(step) ? textOf(step['label']) : undefined;
      return isRecord(step) && label !== undefined ? [{ label, url: textOf(step['url']) }] : [];
    }),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The author of an MCP server is an object with a name. */
function nameIn(value: unknown): string | undefined {
  return isRecord(value) ? textOf(value['name']) : undefined;
}
