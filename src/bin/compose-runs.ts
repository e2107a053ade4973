/** Puts together what the runs of every kind work with, for a worker process and for tests that are one. */
import type { Client } from '@temporalio/client';
import type { ActivityDeps } from '../../activities/index.ts';
import type { Config } from '../config.ts';
import type { Orm } from '../db/orm.ts';
import {
  chatProfile,
  chatTools,
  createChatTurnLauncher,
  sweepChats,
  turnRequester,
  type ChatTools,
} from '../features/chats/index.ts';
import { purgeExtractions, type ExcerptMatcher } from '../features/citations/index.ts';
import { purgeEffects } from '../features/effects/index.ts';
import {
  createInvestigationLauncher,
  investigationProfile,
  submitReport,
  sweep,
} from '../features/investigations/index.ts';
import {
  evictSessions,
  instructionProfile,
  isBudgetSpent,
  monitoringTools,
  submitCheckResult,
  sweepAgents,
  sweepFindings,
} from '../features/monitoring-agents/index.ts';
import type { RunBudget } from '../features/runs/index.ts';
import { createAgentSatellites, storedSatellites, type SatelliteAccess } from '../features/satellites/agent/index.ts';
import { purgeSatelliteRequests } from '../features/satellites/index.ts';
import { purgeSignIns } from '../features/identity/index.ts';
import type { SourceCatalog } from '../features/sources/index.ts';
import { sharedTools, type LoadTeamTools, type Tool } from '../features/tools/index.ts';
import { createGitWorkspaces, createWorkspaceDrafts } from '../features/workspace/index.ts';
import type { ModelClient } from '../platform/anthropic/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/index.ts';
import type { Logger } from '../platform/logger.ts';
import type { SecretBox } from '../platform/secrets/index.ts';
import type { Patience } from './patience.ts';
import { composeMonitoring } from './compose-monitoring.ts';

export interface RunParts {
  config: Config;
  orm: Orm;
  events: EventLog;
  /** Starts what runs start. */
  client: Client;
  model: ModelClient;
  /** The installation's own; teams have those behind their satellites besides. */
  sources: SourceCatalog;
  log: Logger;
  matcher: ExcerptMatcher;
  /** Opens what the API sealed. */
  secrets: SecretBox;
  /** Another queue than the product's own, for tests and benches. */
  taskQueue?: string;
  /** Overrides of the configured bounds, likewise. */
  budget?: Partial<RunBudget>;
  /** More time for what the process needs, likewise. */
  patience?: Patience;
  /** Tools beyond those every run has, likewise. */
  tools?: readonly Tool[];
  /** In place of the satellites that are registered, likewise. */
  satellites?: SatelliteAccess;
}

/** Whoever asked for excerpts has them by then, or has gone. */
const EXTRACTIONS_KEPT_MS = 24 * 3_600_000;
/** Every attempt at the tool call is over by then. */
const SATELLITE_ANSWERS_KEPT_MS = 24 * 3_600_000;

/** Whoever wants to know what became of a session looks within a day. */
const SIGN_INS_KEPT_MS = 24 * 3_600_000;

/** What activities need, and what is swept now and then. */
export function composeRuns(parts: RunParts): { deps: ActivityDeps; sweeps: (() => Promise<unknown>)[] } {
  const { config, orm, events, client, model, sources, log, matcher, taskQueue, tools: more = [] } = parts;
  const { controlDeadlineMs, gitTimeoutMs } = parts.patience ?? {};
  const appUrl = config.appUrl ?? `http://localhost:${config.port}`;
  const shared = { orm, events, clock: systemClock, log, appUrl };
  const budget = { ...config.budget, toolTimeoutSeconds: config.toolTimeoutSeconds, ...parts.budget };
  const workspaces = createGitWorkspaces({ directory: config.workspacesDir, gitTimeoutMs });
  const drafts = createWorkspaceDrafts({ orm, workspaces });
  const launcher = createInvestigationLauncher(client, budget, taskQueue, controlDeadlineMs);
  const turnLauncher = createChatTurnLauncher(client, budget, taskQueue, controlDeadlineMs);
  const investigations = { ...shared, launcher };
  const chats = { ...shared, drafts, matcher, launcher: turnLauncher };
  const { agents, findings, notifier, titled } = composeMonitoring(parts);
  const teamTools: LoadTeamTools = (teamId) => satellites.tools(teamId);
  const monitoring = monitoringTools({ ...agents, requesterOf: turnRequester(orm), teamTools });
  const { answer, chart, edit, monitor } = chatTools({ ...investigations, drafts, monitoring });
  const ofChats: ChatTools = { answer: [...answer, ...more], chart, edit, monitor: [...monitor, ...more] };
  const ofInvestigations = [...sharedTools, ...more];
  const ownTools = [...ofInvestigations, submitReport, submitCheckResult, ...Object.values(ofChats).flat()];
  const reserved = ownTools.map(({ name }) => name);
  const satellites = createAgentSatellites(parts.satellites ?? storedSatellites(shared), { own: sources, reserved });
  const watching = { ...shared, drafts, findings, sources: satellites.sources, teamTools, checkBudget: budget };
  return {
    deps: {
      ...shared,
      drafts,
      matcher,
      titled,
      model,
      sources: satellites.sources,
      profiles: {
        investigation: investigationProfile(ofInvestigations, satellites.tools),
        chat: chatProfile(ofChats, satellites.tools),
        check: instructionProfile(ofInvestigations, satellites.tools),
      },
      monitoring: watching,
      findings: {
        ...shared,
        model,
        deliver: (stored, teamId, delivery) => notifier.send(stored, teamId, delivery),
        isBudgetSpent,
        investigationBudget: budget,
      },
    },
    sweeps: [
      () => sweep(investigations),
      () => sweepChats(chats),
      () => sweepAgents({ ...watching, launcher: agents.launcher }),
      () => evictSessions(watching),
      () => sweepFindings({ ...findings, clock: systemClock }),
      () => purgeEffects(orm, systemClock.now()),
      () => purgeExtractions(orm, new Date(systemClock.now().getTime() - EXTRACTIONS_KEPT_MS)),
      () => purgeSignIns(orm.em, new Date(systemClock.now().getTime() - SIGN_INS_KEPT_MS)),
      () => purgeSatelliteRequests(orm, events, new Date(systemClock.now().getTime() - SATELLITE_ANSWERS_KEPT_MS)),
    ],
  };
}
