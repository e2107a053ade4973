import type { Pepper } from '../../../platform/secrets.ts';
import type { ApiDeps } from '../../../http/deps.ts';
import type { SatelliteCalls } from '../calls/port.ts';
import type { DependencyGraphs } from '../graph/index.ts';

export interface SatelliteDeps extends ApiDeps {
  satellites: {
    calls: SatelliteCalls;
    graphs: DependencyGraphs;
    /** The pepper of enrolment token hashes. */
    tokenPepper: Pepper;
  };
}
