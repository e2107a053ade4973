/**
 * Prices in US dollars per million tokens. Source: platform.claude.com/docs/en/about-claude/pricing and the model pages
 * of the 5.5 family, as published in October 2026. Writing the prompt cache (5 minutes) costs 1.25 times the input
 * price; reading it costs `cacheRead` times the input price.
 */
import { modelVersion, OFFLINE_MODEL, type ModelFamily } from './models.ts';
import type { ModelUsage } from './port.ts';

interface Price {
  input: number;
  output: number;
  /** Multiple of `input`. */
  cacheRead: number;
}

const CACHE_WRITE_MULTIPLE = 1.25;

const FREE: Price = { input: 0, output: 0, cacheRead: 0 };
/** An unlisted model costs the current Opus price of 5 and 25: budgets must not be exceeded. */
export const UNKNOWN_MODEL_PRICE: Price = { input: 5, output: 25, cacheRead: 0.1 };

/** By family, newest first: the first row whose version does not exceed the model's applies. */
const PRICES: Record<ModelFamily, (Price & { since: number })[]> = {
  fable: [
    { since: 501, input: 10, output: 50, cacheRead: 0.025 },
    { since: 0, input: 10, output: 50, cacheRead: 0.1 },
  ],
  mythos: [
    { since: 501, input: 10, output: 50, cacheRead: 0.025 },
    { since: 0, input: 10, output: 50, cacheRead: 0.1 },
  ],
  opus: [
    { since: 505, input: 4, output: 20, cacheRead: 0.05 },
    { since: 405, input: 5, output: 25, cacheRead: 0.1 },
    { since: 0, input: 15, output: 75, cacheRead: 0.1 },
  ],
  sonnet: [
    { since: 505, input: 2, output: 10, cacheRead: 0.05 },
    { since: 500, input: 2, output: 10, cacheRead: 0.1 },
    { since: 0, input: 3, output: 15, cacheRead: 0.1 },
  ],
  haiku: [
    { since: 505, input: 0.1, output: 0.5, cacheRead: 0.1 },
    { since: 405, input: 1, output: 5, cacheRead: 0.1 },
    { since: 305, input: 0.8, output: 4, cacheRead: 0.1 },
    { since: 0, input: 0.25, output: 1.25, cacheRead: 0.1 },
  ],
};
/** Claude Haiku 5.5 costs five times as much for prompts longer than this many tokens. */
const LONG_PROMPT = { tokens: 100_000, multiple: 5 };

/**
 * The price of a model.
 * @param promptTokens all input tokens of the call, cached ones included; some prices depend on it
 */
export function priceOf(model: string, promptTokens = 0): Price {
  if (model === OFFLINE_MODEL) return FREE;
  const known = modelVersion(model);
  const price = known && PRICES[known.family].find((row) => known.version >= row.since);
  if (!price) return UNKNOWN_MODEL_PRICE;
  const { input, output, cacheRead } = price;
  const isLong = known.family === 'haiku' && known.version >= 505 && promptTokens > LONG_PROMPT.tokens;
  const multiple = isLong ? LONG_PROMPT.multiple : 1;
  return { input: input * multiple, output: output * multiple, cacheRead };
}

/** What one call cost, in US dollars. */
export function costUsd(model: string, usage: ModelUsage): number {
  const prompt = usage.inputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
  const price = priceOf(model, prompt);
  const input =
    usage.inputTokens +
    usage.cacheCreationInputTokens * CACHE_WRITE_MULTIPLE +
    usage.cacheReadInputTokens * price.cacheRead;
  return (input * price.input + usage.outputTokens * price.output) / 1_000_000;
}
