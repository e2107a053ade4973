/** Rows of what an agent came to, for tests that do not run one. */

interface Owner {
  id: string;
  teamId: string;
}

/** A session that was well. @param startedAt and ended at once */
export const sessionRow = ({ id: agentId, teamId }: Owner, startedAt: Date) => ({
  teamId,
  agentId,
  checkId: 'queue',
  checkType: 'metric' as const,
  title: 'Queue of orders',
  planVersion: 1,
  trigger: 'schedule' as const,
  status: 'ok' as const,
  scheduledAt: startedAt,
  startedAt,
  finishedAt: startedAt,
  summary: 'All is well.',
  model: null,
});

/** A finding that is open. */
export const findingRow = ({ id: agentId, teamId }: Owner) => ({
  teamId,
  agentId,
  dedupKey: 'queue/gauge',
  origin: 'check' as const,
  openedAt: new Date(),
  status: 'open' as const,
  title: 'The queue is long',
  summary: 'The queue is long.',
  severity: 'warning' as const,
  service: null,
  actions: ['notify' as const],
  judgement: null,
  sources: {},
  coolDownSeconds: 900,
  lastSeenAt: new Date(),
  resolvedAt: null,
  closedAt: null,
  investigationId: null,
});
