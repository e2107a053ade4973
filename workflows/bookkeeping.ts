import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Bookkeeping costs nothing and must not be lost: retry until it succeeds, however long database or workers are away.
 */
export const BOOKKEEPING = {
  startToCloseTimeout: '60s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
} as const satisfies ActivityOptions;
