import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { TOKEN_BUDGET_META_KEY } from '#shared/protocol/api-tools.ts';
import type { BudgetDecision, TokenBudget } from '#shared/tools/token-budget.ts';
import type { SidecarTool } from '../tool-registry.ts';
import { StoreFull, type ResourceStore, type StoredResource } from './resource-store.ts';

/** How a result is put before a model, and what was decided for it. */
export interface Placed {
  readonly block: ContentBlock;
  readonly decision?: BudgetDecision;
}

/** Keeps large results out of the model's context: what it may not read at once, it is given a link to. */
export class Spiller {
  readonly #store: ResourceStore;
  readonly #budget: TokenBudget;

  constructor(store: ResourceStore, budget: TokenBudget) {
    this.#store = store;
    this.#budget = budget;
  }

  /**
   * A text, inline when it fits.
   * @param characters its length in UTF-16 units
   * @param read called when it is to be read at once
   */
  placeText(resource: Omit<StoredResource, 'uri'>, characters: number, read: () => string): Placed {
    const decision = this.#budget.decide(characters);
    if (decision.decision === 'inline') return { block: { type: 'text', text: read() }, decision };
    try {
      return { block: this.link(resource), decision };
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      return { block: { type: 'text', text: read() }, decision: this.#budget.forceInline(characters) };
    }
  }

  /** @throws StoreFull */
  link(resource: Omit<StoredResource, 'uri'>): ContentBlock {
    const { uri, name, mediaType, size } = this.#store.put(resource);
    return { type: 'resource_link', uri, name, mimeType: mediaType, size };
  }

  /** The same tool, whose large texts are spilled. */
  watch(tool: SidecarTool): SidecarTool {
    return {
      definition: tool.definition,
      call: async (input, context) => this.#spillTexts(tool.definition.name, await tool.call(input, context)),
    };
  }

  #spillTexts(name: string, result: CallToolResult): CallToolResult {
    let decision: BudgetDecision | undefined;
    const content = result.content.map((block) => {
      if (block.type !== 'text') return block;
      const { text } = block;
      const bytes = Buffer.from(text, 'utf8');
      const mediaType = looksLikeJson(text) ? 'application/json' : 'text/plain';
      const placed = this.placeText(
        { name, mediaType, isText: true, pieces: [bytes], size: bytes.length },
        text.length,
        () => text,
      );
      ({ decision } = placed);
      return placed.block.type === 'text' ? block : placed.block;
    });
    if (decision === undefined) return result;
    return { ...result, content, _meta: { ...result._meta, [TOKEN_BUDGET_META_KEY]: decision } };
  }
}

function looksLikeJson(text: string): boolean {
  const trimmed = text.trimEnd();
  return (text.startsWith('{') && trimmed.endsWith('}')) || (text.startsWith('[') && trimmed.endsWith(']'));
}
