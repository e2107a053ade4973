import type { Pepper } from '../../platform/secrets.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Links } from './presenter.ts';
import type { InvestigationServiceDeps } from './service.ts';
import type { InvestigationStatusReader } from './status/reader.ts';

/** A pull request that was opened from an investigation. */
export interface OpenedPullRequest {
  id: string;
  repository: string;
  title: string;
  status: 'pending' | 'open' | 'merged' | 'closed' | 'conflict' | 'failed';
  /** Null until it is open at the host. */
  number: number | null;
  url: string | null;
}

export interface InvestigationDeps extends ApiDeps {
  investigations: InvestigationServiceDeps;
  investigationStatus: InvestigationStatusReader;
  events: EventLog;
  links: Links;
  /** The pull requests opened from an investigation, the newest first; a later room knows them. */
  pullRequestsOf(em: EntityManager, investigationId: string): Promise<OpenedPullRequest[]>;
  /** Of the hashes of read-only links. */
  sharePepper: Pepper;
}

export const endpoint = endpointFor<InvestigationDeps>();
