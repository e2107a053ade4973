import { z } from 'zod';
import { positiveInt, withDefault } from '../../config.ts';
import type { RunBudget } from './contract.ts';

export interface RunSettings {
  /** Bounds of every run. */
  budget: RunBudget;
}

export const configuration = z
  .object({
    CASEBOOK_MAX_STEPS: withDefault(positiveInt, 40),
    CASEBOOK_MAX_COST_USD: withDefault(z.coerce.number().positive(), 5),
    CASEBOOK_MAX_MINUTES: withDefault(z.coerce.number().positive(), 30),
    CASEBOOK_COMPACT_TOKENS: withDefault(positiveInt, 120_000),
    CASEBOOK_TOOL_TIMEOUT_SECONDS: withDefault(z.coerce.number().positive(), 60),
    CASEBOOK_APPROVAL_MINUTES: withDefault(z.coerce.number().positive(), 60),
  })
  .transform((e): RunSettings => ({
    budget: {
      maxSteps: e.CASEBOOK_MAX_STEPS,
      maxCostUsd: e.CASEBOOK_MAX_COST_USD,
      maxWallSeconds: e.CASEBOOK_MAX_MINUTES * 60,
      compactAtTokens: e.CASEBOOK_COMPACT_TOKENS,
      toolTimeoutSeconds: e.CASEBOOK_TOOL_TIMEOUT_SECONDS,
      approvalSeconds: e.CASEBOOK_APPROVAL_MINUTES * 60,
    },
  }));
