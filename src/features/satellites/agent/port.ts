/** A team's satellites as the agent loop sees them. */
import type { LiveGraph } from '../../sources/port.ts';
import type { SatelliteCalls } from '../calls/port.ts';
import type { Inventory } from '@casebook/wire';

export interface KnownSatellite {
  id: string;
  name: string;
  inventory: Pick<Inventory, 'connectors' | 'tools'>;
  /** Equal for equal inventories; computed from the inventory by default. */
  inventoryDigest?: string;
  /** Whether it sends the dependency graph. */
  hasGraph: boolean;
}

/** The id as a source of a system behind a satellite. */
export const sourceIdOf = (satellite: string, system: string): string => `satellite:${satellite}/${system}`;

/** The satellites of one team only, connected or not. */
type LoadSatellites = (teamId: string) => Promise<KnownSatellite[]>;

/** The latest graph of one of the team's satellites; undefined when there is none. */
type LoadGraph = (teamId: string, satelliteId: string) => Promise<LiveGraph | undefined>;

export interface SatelliteAccess {
  load: LoadSatellites;
  calls: SatelliteCalls;
  graph: LoadGraph;
}
