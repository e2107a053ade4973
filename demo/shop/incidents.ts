import type { FaultKind } from './faults.ts';
import type { ServiceName } from './description.ts';

/** A fault that `npm run demo` injects and the investigation has to find. */
export interface LiveIncident {
  service: ServiceName;
  /** `commit`: a commit in the code host breaks it, which only a shop with one has. */
  kind: FaultKind | 'commit';
  /** For people at the terminal; the investigation does not see it. */
  what: string;
}

export const liveIncidents: Record<string, LiveIncident> = {
  'connection-leak': {
    service: 'payments',
    kind: 'connection-leak',
    what: 'payments leaks database connections',
  },
  'cpu-burn': {
    service: 'catalog',
    kind: 'cpu-burn',
    what: 'a regular expression in catalog intermittently blocks its event loop',
  },
  'slow-queries': {
    service: 'inventory',
    kind: 'slow-queries',
    what: 'inventory lost an index; its queries are 30× slower',
  },
  'bad-configuration': {
    service: 'orders',
    kind: 'bad-configuration',
    what: 'orders is missing a setting; every other order fails',
  },
};

/** What `--code-host` does instead. */
export const commitIncident: LiveIncident = {
  service: 'payments',
  kind: 'commit',
  what: 'a commit to payments leaks database connections',
};

/** The incident that follows another: a different kind of fault in a different service. */
export function incidentAfter(first: LiveIncident): LiveIncident {
  const all = Object.values(liveIncidents);
  const index = all.findIndex(({ service, kind }) => service === first.service && kind === first.kind);
  return all[(index + 1) % all.length] ?? first;
}
