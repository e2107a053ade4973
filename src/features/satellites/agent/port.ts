/** What the agent loop has to know of a team's satellites. */
import type { LiveGraph } from '../../sources/port.ts';
import type { SatelliteCalls } from '../calls/port.ts';
import type { Inventory } from '@casebook/wire';

export interface KnownSatellite {
  id: string;
  name: string;
  inventory: Pick<Inventory, 'connectors' | 'tools'>;
  /** Equal for equal inventories; absent: it is made of the inventory. */
  inventoryDigest?: string;
  online: boolean;
  lastSeenAt: Date;
  /** Whether it sends the dependency graph. */
  hasGraph: boolean;
}

/** The satellites of one team and of no other, whether or not they are connected. */
type LoadSatellites = (teamId: string) => Promise<KnownSatellite[]>;

/** The graph of one of the team's satellites as it was last sent; undefined when there is none. */
type LoadGraph = (teamId: string, satelliteId: string) => Promise<LiveGraph | undefined>;

export interface SatelliteAccess {
  load: LoadSatellites;
  calls: SatelliteCalls;
  graph: LoadGraph;
}
