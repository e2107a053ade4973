/** Migrations in the order in which they are applied. Never changed after a release. */
import type { MigrationObject } from '@mikro-orm/core';
import { FoundationMigration } from './20261121000000-foundation.ts';
import { EventLogMigration } from './20261121000100-event-log.ts';
import { ChatsMigration } from './20261121000200-chats.ts';
import { WorkspaceMigration } from './20261121000300-workspace.ts';
import { CitationsMigration } from './20261121000400-citations.ts';
import { SatellitesMigration } from './20261121000500-satellites.ts';
import { SatelliteGraphMigration } from './20261121000600-satellite-graph.ts';
import { MonitoringAgentsMigration } from './20261121000700-monitoring-agents.ts';
import { MonitoringTriggersMigration } from './20261121000800-monitoring-triggers.ts';
import { MonitoringIndexesMigration } from './20261121000900-monitoring-indexes.ts';
import { SessionsMigration } from './20261121001000-sessions.ts';
import { InvestigationSearchMigration } from './20261121001100-investigation-search.ts';
import { EffectsMigration } from './20261122010000-effects.ts';
import { NotificationsMigration } from './20261122010100-notifications.ts';
import { CredentialsMigration } from './20261122030000-credentials.ts';
import { ProvenanceMigration } from './20261122030100-provenance.ts';
import { RunsMigration } from './20261122040000-runs.ts';
import { ForeignKeysMigration } from './20261122090000-foreign-keys.ts';
import { SatelliteCredentialsMigration } from './20261122100000-satellite-credentials.ts';
import { ApprovalsMigration } from './20261122110000-approvals.ts';
import { FindingActsMigration } from './20261123040000-finding-acts.ts';

export const migrations: MigrationObject[] = [
  { name: '20261121000000-foundation', class: FoundationMigration },
  { name: '20261121000100-event-log', class: EventLogMigration },
  { name: '20261121000200-chats', class: ChatsMigration },
  { name: '20261121000300-workspace', class: WorkspaceMigration },
  { name: '20261121000400-citations', class: CitationsMigration },
  { name: '20261121000500-satellites', class: SatellitesMigration },
  { name: '20261121000600-satellite-graph', class: SatelliteGraphMigration },
  { name: '20261121000700-monitoring-agents', class: MonitoringAgentsMigration },
  { name: '20261121000800-monitoring-triggers', class: MonitoringTriggersMigration },
  { name: '20261121000900-monitoring-indexes', class: MonitoringIndexesMigration },
  { name: '20261121001000-sessions', class: SessionsMigration },
  { name: '20261121001100-investigation-search', class: InvestigationSearchMigration },
  { name: '20261122010000-effects', class: EffectsMigration },
  { name: '20261122010100-notifications', class: NotificationsMigration },
  { name: '20261122030000-credentials', class: CredentialsMigration },
  { name: '20261122030100-provenance', class: ProvenanceMigration },
  { name: '20261122040000-runs', class: RunsMigration },
  { name: '20261122090000-foreign-keys', class: ForeignKeysMigration },
  { name: '20261122100000-satellite-credentials', class: SatelliteCredentialsMigration },
  { name: '20261122110000-approvals', class: ApprovalsMigration },
  { name: '20261123040000-finding-acts', class: FindingActsMigration },
];
