import type { Investigation } from './entities.ts';

export interface InvestigationError {
  code: 'sources_failed' | 'model_failure' | 'failed';
  /** In words. */
  message: string;
}

/** Why an investigation failed: a code for programs, and the reason in words. */
export function errorOf({ status, coverage, limitReached, explanation }: Investigation): InvestigationError | null {
  if (status !== 'failed') return null;
  const isSources = coverage?.outcome === 'sources_failed';
  const code = isSources ? 'sources_failed' : limitReached === 'model_failure' ? 'model_failure' : 'failed';
  return { code, message: explanation ?? 'No reason is known.' };
}
