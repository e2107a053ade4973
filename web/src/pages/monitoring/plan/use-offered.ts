import { useMemo } from 'react';
import type { PlanDraft } from './draft.ts';
import { usedIn, type Offered } from './suggestions.tsx';

/** What is offered in the fields of a plan. */
export function useOffered(draft: PlanDraft): Offered {
  return useMemo(
    () => ({
      source: usedIn(draft, 'source'),
      service: usedIn(draft, 'service'),
      metric: usedIn(draft, 'metric'),
      tool: usedIn(draft, 'tool'),
    }),
    [draft],
  );
}
