import type { Pepper } from '../../platform/secrets.ts';
import type { ApiDeps } from '../../http/deps.ts';
import { endpointFor } from '../../http/endpoint.ts';
import type { EventLog } from '../../platform/event-log/port.ts';
import type { Links } from './presenter.ts';
import type { InvestigationServiceDeps } from './service.ts';
import type { InvestigationStatusReader } from './status/reader.ts';

export interface InvestigationDeps extends ApiDeps {
  investigations: InvestigationServiceDeps;
  investigationStatus: InvestigationStatusReader;
  events: EventLog;
  links: Links;
  /** Of the hashes of read-only links. */
  sharePepper: Pepper;
}

export const endpoint = endpointFor<InvestigationDeps>();
