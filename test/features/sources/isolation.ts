import type { CreateIsolation } from '../../http/support/team-isolation.ts';
import { OWNED_SATELLITE } from '../satellites/isolation.ts';

/** The source is the one behind the owner's satellite. */
const params = { source_id: `satellite:${OWNED_SATELLITE}/prometheus` };

export const isolation: CreateIsolation = () => ({
  examples: {
    listSourceServices: { params },
    listSourceDependencies: { params },
    listSourceChanges: { params },
    searchSourceMetrics: { params },
  },
  secrets: [],
});
