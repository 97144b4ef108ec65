import { estimateTokensOfLength } from './token-estimate.ts';

export interface TokenBudgetOptions {
  /** Estimated tokens one result may take; more is spilled. */
  readonly inlineCapTokens: number;
  /** Estimated tokens all results of the run may take together. */
  readonly runBudgetTokens: number;
  readonly contextWindow?: number;
  /** Tokens the model may write, which must stay free. */
  readonly maxTokens?: number;
}

export type BudgetReason =
  'under_inline_cap' | 'exceeds_inline_cap' | 'exceeds_context_window' | 'exceeds_run_budget' | 'store_full';

/** What was decided for one text, as it stands in the result's `_meta`. */
export interface BudgetDecision {
  readonly estimatedTokens: number;
  readonly consumedTokens: number;
  readonly runBudgetTokens: number;
  readonly inlineCapTokens: number;
  readonly decision: 'inline' | 'spill';
  readonly reason: BudgetReason;
}

/** Least that stays free for what a model writes, where it does not say how much that is. */
const LEAST_RESERVE = 16_384;

/**
 * Decides what a model reads at once and what is put into a file (reference: sidecar, section 1.15). A
 * decision and its reservation are one step, so calls at the same time cannot both take the last tokens.
 */
export class TokenBudget {
  readonly #options: TokenBudgetOptions;
  #consumed = 0;

  constructor(options: TokenBudgetOptions) {
    this.#options = options;
  }

  /** @param characters length of the text in UTF-16 units, which need not be at hand */
  decide(characters: number): BudgetDecision {
    const estimate = estimateTokensOfLength(characters);
    const reason = this.#reasonFor(estimate);
    return this.#record(estimate, reason === 'under_inline_cap' ? 'inline' : 'spill', reason);
  }

  /** Takes a text that could not be stored; it counts like any other. */
  forceInline(characters: number): BudgetDecision {
    return this.#record(estimateTokensOfLength(characters), 'inline', 'store_full');
  }

  #reasonFor(estimate: number): BudgetReason {
    const { inlineCapTokens, runBudgetTokens, contextWindow } = this.#options;
    if (estimate > inlineCapTokens) return 'exceeds_inline_cap';
    const total = this.#consumed + estimate;
    if (contextWindow !== undefined && total > contextWindow - reserveOf(contextWindow, this.#options)) {
      return 'exceeds_context_window';
    }
    return total > runBudgetTokens ? 'exceeds_run_budget' : 'under_inline_cap';
  }

  #record(estimate: number, decision: 'inline' | 'spill', reason: BudgetReason): BudgetDecision {
    if (decision === 'inline') this.#consumed += estimate;
    const { inlineCapTokens, runBudgetTokens } = this.#options;
    return {
      estimatedTokens: estimate,
      consumedTokens: this.#consumed,
      runBudgetTokens,
      inlineCapTokens,
      decision,
      reason,
    };
  }
}

/** Never the whole window: some models say they may write as much as they can read. */
function reserveOf(window: number, { maxTokens }: TokenBudgetOptions): number {
  const most = window * 0.8;
  if (maxTokens !== undefined && maxTokens > 0) return Math.min(maxTokens, most);
  return Math.min(Math.max(LEAST_RESERVE, window * 0.2), most);
}
