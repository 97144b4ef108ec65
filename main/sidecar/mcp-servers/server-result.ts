import type { CallToolResult, ContentBlock, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import { cleanText } from '#shared/mcp/hidden-text.ts';
import { cleanMeta } from '#shared/mcp/server-tool.ts';
import { essenceOf, isTextType } from '#shared/tools/media-types.ts';
import { cutText } from '#shared/text/cut-text.ts';
import { StoreFull } from '../spill/resource-store.ts';
import type { Spiller } from '../spill/spiller.ts';

/** Images that every model which sees any takes. */
const SEEN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Bytes of an image that goes to the model; providers refuse larger ones. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
/** Links of one result that are followed; the others stay as they are told. */
const MAX_LINKS = 10;
const NAME_BYTES = 200;

export interface ResultPlaces {
  readonly spiller: Spiller;
  /** Whether the model can see images. */
  readonly seesImages: boolean;
  /** Reads what the result links to, at the server it came from. */
  readonly readResource: (uri: string) => Promise<ReadResourceResult>;
}

type Contents = ReadResourceResult['contents'][number];

/**
 * A server's result as a run takes it: nothing in it speaks for the platform, and what is no text to be read
 * at once is stored, so that the sandbox makes a file of it. Texts are placed by what serves the tool.
 */
export async function placeResult(
  { content, structuredContent, isError, _meta: meta }: CallToolResult,
  places: ResultPlaces,
): Promise<CallToolResult> {
  const blocks: ContentBlock[] = [];
  let links = 0;
  for (const block of content) {
    if (block.type === 'resource_link') links += 1;
    blocks.push(...(await placeBlock(block, places, links <= MAX_LINKS)));
  }
  // What has no other form is read in this one, and counts as what it takes.
  if (blocks.length === 0 && structuredContent !== undefined) {
    blocks.push({ type: 'text', text: JSON.stringify(structuredContent, null, 2) });
  }
  const kept = meta === undefined ? {} : cleanMeta(meta);
  return {
    content: blocks,
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isError === true && { isError }),
    ...(Object.keys(kept).length > 0 && { _meta: kept }),
  };
}

async function placeBlock(
  block: ContentBlock,
  places: ResultPlaces,
  followsLinks: boolean,
): Promise<ContentBlock[]> {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image': {
      const { data, mimeType } = block;
      const type = essenceOf(mimeType);
      const isSeen = places.seesImages && SEEN_IMAGES.has(type) && (data.length * 3) / 4 <= MAX_IMAGE_BYTES;
      return isSeen ? [{ type: 'image', data, mimeType: type }] : [store(places, 'image', type, data)];
    }
    case 'audio':
      return [store(places, 'audio', essenceOf(block.mimeType), block.data)];
    case 'resource':
      return [placeContents(places, block.resource)];
    case 'resource_link': {
      const told = `[resource ${shown(block.title ?? block.name)} at ${shown(block.uri)}`;
      if (!followsLinks) return [text(`${told}: not read, since the result has more than ${MAX_LINKS}]`)];
      try {
        const { contents } = await places.readResource(block.uri);
        return contents.map((each) => placeContents(places, each));
      } catch (error) {
        return [text(`${told}: ${error instanceof Error ? shown(error.message) : 'not read'}]`)];
      }
    }
  }
}

function placeContents(places: ResultPlaces, contents: Contents): ContentBlock {
  const name = shown(contents.uri);
  const type = essenceOf(contents.mimeType);
  if ('blob' in contents) return store(places, name, type || 'application/octet-stream', contents.blob);
  const bytes = Buffer.from(contents.text, 'utf8');
  return link(places, { name, mediaType: type || 'text/plain', isText: true, bytes });
}

function store(places: ResultPlaces, name: string, type: string, base64: string): ContentBlock {
  const bytes = Buffer.from(base64, 'base64');
  const mediaType = type || 'application/octet-stream';
  return link(places, { name, mediaType, isText: isTextType(mediaType), bytes });
}

function link(
  { spiller }: ResultPlaces,
  resource: { name: string; mediaType: string; isText: boolean; bytes: Buffer },
): ContentBlock {
  const { bytes, name, mediaType } = resource;
  try {
    return spiller.link({ ...resource, pieces: [bytes], size: bytes.length });
  } catch (error) {
    if (!(error instanceof StoreFull)) throw error;
    return text(
      `[resource ${name}, ${mediaType}, ${bytes.length} bytes: larger than all that can be stored]`,
    );
  }
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

function shown(value: string): string {
  return cutText(cleanText(value).replaceAll(/\s+/g, ' '), NAME_BYTES).text;
}
