/** The tools by which an agent's chat reads and changes what it watches. */
import type { Tool } from '../../tools/index.ts';
import type { MonitoringToolDeps } from './deps.ts';
import { listMonitoringFindings, listMonitoringSessions, readMonitoringPlan } from './reading.ts';
import { runCheckNow, testMonitoringCheck } from './run-checks.ts';
import { updateMonitoringPlan } from './update-plan.ts';

export const monitoringTools = (deps: MonitoringToolDeps): Tool[] => [
  readMonitoringPlan(deps),
  updateMonitoringPlan(deps),
  testMonitoringCheck(deps),
  listMonitoringSessions(deps),
  listMonitoringFindings(deps),
  runCheckNow(deps),
];
