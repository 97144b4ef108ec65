import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** A block of a tool's result as Pi hands it to a model. */
export type ModelContent = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** A resource that a result refers to, for the run view. */
export interface ReferredResource {
  readonly uri: string;
  readonly title?: string;
}

/** What of an MCP result a model is given, and what a person may be shown beside it. */
export interface ModelResult {
  readonly content: ModelContent[];
  readonly resources: ReferredResource[];
}

/**
 * Puts an MCP result into the two forms that every model takes: texts, and images where a block is one.
 * What is neither is named in a text, so that the model knows of it.
 */
export function toModelResult(result: CallToolResult): ModelResult {
  const content: ModelContent[] = [];
  const resources: ReferredResource[] = [];
  for (const block of result.content) {
    const mapped = toModelContent(block);
    content.push(...mapped.content);
    if (mapped.resource) resources.push(mapped.resource);
  }
  if (content.length === 0) {
    const { structuredContent } = result;
    content.push({
      type: 'text',
      text: structuredContent === undefined ? '(no content)' : JSON.stringify(structuredContent, null, 2),
    });
  }
  return { content, resources };
}

function toModelContent(block: ContentBlock): { content: ModelContent[]; resource?: ReferredResource } {
  switch (block.type) {
    case 'text':
      return { content: [{ type: 'text', text: block.text }] };
    case 'image':
      return { content: [{ type: 'image', data: block.data, mimeType: block.mimeType }] };
    case 'audio':
      return {
        content: [
          text(`[Audio, ${block.mimeType}, ${decodedLength(block.data)} bytes: cannot be heard here]`),
        ],
      };
    case 'resource_link': {
      const { uri, title, name, description, mimeType, size } = block;
      const facts = [mimeType, size === undefined ? undefined : `${size} bytes`, description];
      const suffix = facts.filter((fact) => fact !== undefined).join(', ');
      return {
        content: [text(`[Resource "${title ?? name}" at ${uri}${suffix === '' ? '' : `: ${suffix}`}]`)],
        resource: { uri, title: title ?? name },
      };
    }
    case 'resource': {
      const { resource } = block;
      const { uri, mimeType } = resource;
      if ('text' in resource) {
        return { content: [text(`[Resource ${uri}]`), text(resource.text)], resource: { uri } };
      }
      if (mimeType !== undefined && /^image\/(png|jpeg|gif|webp)$/.test(mimeType)) {
        return {
          content: [text(`[Resource ${uri}]`), { type: 'image', data: resource.blob, mimeType }],
          resource: { uri },
        };
      }
      const kind = mimeType ?? 'binary';
      return {
        content: [text(`[Resource ${uri}, ${kind}, ${decodedLength(resource.blob)} bytes: not shown]`)],
        resource: { uri },
      };
    }
  }
}

function text(value: string): ModelContent {
  return { type: 'text', text: value };
}

/** Bytes that a base64 text stands for. */
export function decodedLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
