import type { Usage } from '#shared/models/model.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import type { PriceList } from './catalogue.ts';
import type { MeterReading, TokenCounts } from './response-meter.ts';

/** What is known of the bill for one answer. */
type Billing = 'priced' | 'partial' | 'unpriced';

/**
 * US dollars for one request. The dearer prices of a long request hold for all of it, and an hour's cache
 * costs twice the input price (Anthropic's price list).
 */
export function costOf(tokens: TokenCounts, prices: PriceList): number {
  const totalInput = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  const price = prices.tiers
    .filter((tier) => totalInput > tier.inputTokensAbove)
    .reduce<PriceList | PriceList['tiers'][number]>(
      (highest, tier) =>
        'inputTokensAbove' in highest && highest.inputTokensAbove > tier.inputTokensAbove ? highest : tier,
      prices,
    );
  const shortCacheWrite = tokens.cacheWrite - tokens.longCacheWrite;
  return (
    (tokens.input * price.input +
      tokens.output * price.output +
      tokens.cacheRead * price.cacheRead +
      shortCacheWrite * price.cacheWrite +
      tokens.longCacheWrite * price.input * 2) /
    1_000_000
  );
}

/** Adds up a run's answers. Nothing is estimated: what a provider does not tell makes the sum a floor. */
export class UsageLedger {
  readonly #prices: PriceList | undefined;
  #sum = NO_USAGE;
  /** Answers that began and have not ended: billed, and not yet told. */
  #openAnswers = 0;
  readonly #billings = new Set<Billing>();

  constructor(prices: PriceList | undefined) {
    this.#prices = prices;
  }

  get usage(): Usage {
    return { ...this.#sum, pricing: this.#pricing() };
  }

  /** Counts a request that the provider refused, which it does not bill. */
  addRefusal(): void {
    this.#sum = { ...this.#sum, modelRequests: this.#sum.modelRequests + 1 };
  }

  /** Counts a request the provider began to answer; call the result once, when the answer has ended. */
  beginAnswer(): (reading: MeterReading) => void {
    this.#sum = { ...this.#sum, modelRequests: this.#sum.modelRequests + 1 };
    this.#openAnswers += 1;
    return (reading) => {
      this.#openAnswers -= 1;
      this.#add(reading);
    };
  }

  #add({ tokens, reportedCost, isDearer }: MeterReading): void {
    const listCost = tokens && this.#prices && costOf(tokens, this.#prices);
    const cost = reportedCost ?? listCost;
    this.#sum = {
      ...this.#sum,
      inputTokens: this.#sum.inputTokens + (tokens?.input ?? 0),
      outputTokens: this.#sum.outputTokens + (tokens?.output ?? 0),
      cacheReadTokens: this.#sum.cacheReadTokens + (tokens?.cacheRead ?? 0),
      cacheWriteTokens: this.#sum.cacheWriteTokens + (tokens?.cacheWrite ?? 0),
      cost: this.#sum.cost + (cost ?? 0),
    };
    if (reportedCost !== undefined) this.#billings.add('priced');
    else if (!this.#prices) this.#billings.add('unpriced');
    else this.#billings.add(tokens && !isDearer ? 'priced' : 'partial');
  }

  #pricing(): Usage['pricing'] {
    if (this.#billings.size === 0 && this.#openAnswers === 0) return this.#prices ? 'priced' : 'unpriced';
    const all = new Set(this.#billings);
    if (this.#openAnswers > 0) all.add(this.#prices ? 'partial' : 'unpriced');
    const [only] = all;
    return all.size === 1 && only ? only : 'partial';
  }
}
