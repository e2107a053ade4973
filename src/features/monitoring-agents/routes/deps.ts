import type { ApiDeps } from '../../../http/deps.ts';
import { endpointFor } from '../../../http/endpoint.ts';
import type { SecretBox } from '../../../platform/secrets.ts';
import type { ChatDeps } from '../../chats/index.ts';
import type { InvestigationDeps } from '../../investigations/index.ts';
import type { ProgressReader } from '../../runs/index.ts';
import type { AgentState } from '../contract.ts';
import type { ChannelCapabilities, Notifier } from '../../notifications/index.ts';
import type { MonitoringServiceDeps } from '../service.ts';
import type { TriggerServiceDeps } from '../triggers/service.ts';

export interface MonitoringDeps
  extends ApiDeps, Pick<ChatDeps, 'chats' | 'events'>, Pick<InvestigationDeps, 'investigations' | 'links'> {
  monitoring: MonitoringServiceDeps & TriggerServiceDeps;
  /** Queries running agents. */
  agentStates: ProgressReader<AgentState>;
  notifier: Notifier;
  /** Decides which channels this installation can send to. */
  channels: ChannelCapabilities;
  secrets: SecretBox;
}

export const monitoringEndpoint = endpointFor<MonitoringDeps>();
export const READ = 'monitoring:read';
export const WRITE = 'monitoring:write';
export const TRIGGER = 'monitoring:trigger';
export const tags = ['Monitoring agents'];
