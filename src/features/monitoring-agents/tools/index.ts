/** The tools by which an agent's chat reads and changes what it watches. */
import type { Tool } from '../../tools/index.ts';
import type { MonitoringToolDeps } from './deps.ts';
import { listMonitoringFindings } from './list-findings.ts';
import { listMonitoringSessions } from './list-sessions.ts';
import { readMonitoringPlan } from './read-plan.ts';
import { runCheckNow } from './run-now.ts';
import { testMonitoringCheck } from './test-check.ts';
import { updateMonitoringPlan } from './update-plan.ts';

export type { MonitoringToolDeps } from './deps.ts';

export const monitoringTools = (deps: MonitoringToolDeps): Tool[] => [
  readMonitoringPlan(deps),
  updateMonitoringPlan(deps),
  testMonitoringCheck(deps),
  listMonitoringSessions(deps),
  listMonitoringFindings(deps),
  runCheckNow(deps),
];
