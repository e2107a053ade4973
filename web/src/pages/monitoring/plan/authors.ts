import type { PlanVersion } from '../queries.ts';

/** Who changed a plan, as far as the API says. */
export const AUTHORS: Record<PlanVersion['changed_by'], string> = {
  user: 'A person',
  key: 'An API key',
  chat: 'The agent, in conversation',
};
