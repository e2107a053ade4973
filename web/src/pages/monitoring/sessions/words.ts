import type { SessionSummary } from '../queries.ts';

export const TRIGGERS: Record<SessionSummary['trigger'], string> = {
  schedule: 'By its schedule',
  now: 'Requested by a person',
  deploy: 'After a deploy',
  alert: 'After an alert',
};
