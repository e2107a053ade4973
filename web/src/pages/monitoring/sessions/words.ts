import type { SessionSummary } from '../queries.ts';

export const TRIGGERS: Record<SessionSummary['trigger'], string> = {
  schedule: 'By its schedule',
  now: 'Somebody asked for it',
  deploy: 'After a deploy',
  alert: 'After an alert',
};
