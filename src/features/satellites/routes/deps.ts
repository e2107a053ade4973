import type { ApiDeps } from '../../../http/deps.ts';
import type { SatelliteCalls } from '../calls/port.ts';

export interface SatelliteDeps extends ApiDeps {
  satellites: {
    calls: SatelliteCalls;
    /** Of the hashes of enrolment tokens. */
    tokenPepper: Buffer;
  };
}
