import type { FinishDeps } from '../src/features/chats/index.ts';
import type { InvestigationRunDeps } from '../src/features/investigations/run.ts';
import type { FindingDeps, InstructionCheckDeps, MonitoringRunDeps } from '../src/features/monitoring-agents/index.ts';
import { createCitationActivities, type CitationActivities } from './citations.ts';
import { createChatActivities, type ChatActivities } from './chats.ts';
import { createFindingActivities, type FindingActivities } from './findings.ts';
import { createInstructionCheckActivities, type InstructionCheckActivities } from './instruction-checks.ts';
import { createInvestigationActivities, type InvestigationActivities } from './investigations.ts';
import { createMonitoringAgentActivities, type MonitoringAgentActivities } from './monitoring-agents.ts';
import { createRunActivities, type RunActivities } from './runs.ts';

export type Activities = RunActivities &
  InvestigationActivities &
  ChatActivities &
  CitationActivities &
  MonitoringAgentActivities &
  InstructionCheckActivities &
  FindingActivities;

/** What all activities together need. */
export type ActivityDeps = InvestigationRunDeps &
  FinishDeps & {
    monitoring: MonitoringRunDeps & InstructionCheckDeps;
    findings: FindingDeps;
  };

/** Everything a worker can do for a workflow, over one set of dependencies. */
export function createActivities(deps: ActivityDeps): Activities {
  return {
    ...createRunActivities(deps),
    ...createInvestigationActivities(deps),
    ...createChatActivities(deps),
    ...createCitationActivities(deps),
    ...createMonitoringAgentActivities(deps.monitoring),
    ...createInstructionCheckActivities(deps.monitoring),
    ...createFindingActivities(deps.findings),
  };
}
