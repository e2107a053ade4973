import type { PlanVersion } from '../queries.ts';

/** Who changed a plan, as far as the API says. */
export const AUTHORS: Record<PlanVersion['changed_by'], string> = {
  user: 'Team member',
  key: 'API key',
  chat: 'Agent, in conversation',
};
