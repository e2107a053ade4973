import type { ActivityOptions } from '@temporalio/workflow';
import { timing } from './timing.ts';

/**
 * Bookkeeping costs nothing and must not be lost: retry until it succeeds, however long database or workers are away.
 */
export const BOOKKEEPING = {
  startToCloseTimeout: '60s',
  retry: { initialInterval: timing.firstRetry, maximumInterval: '10s' },
} as const satisfies ActivityOptions;
