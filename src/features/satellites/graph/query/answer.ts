/** What is asked of the dependency graph, and what is answered. */
import type { EdgeSource } from '@casebook/wire';

export const DEPENDENCY_QUERIES = ['get_downstream', 'get_upstream', 'get_impact'] as const;
/** What the service calls; what depends on it; what is affected if it fails. Directly or not. */
export type DependencyQueryType = (typeof DEPENDENCY_QUERIES)[number];

export interface DependencyQuery {
  type: DependencyQueryType;
  service: string;
  /** Most calls away; all the way unless given. */
  depth?: number;
  /** Most services in the answer. */
  limit: number;
}

/** One service calls another. */
export interface GraphEdge {
  caller: string;
  callee: string;
  callsPerSecond?: number;
  /** Failed calls by all calls, 0 to 1. */
  errorRatio?: number;
  p50Seconds?: number;
  p95Seconds?: number;
  sources: EdgeSource[];
  /** No call was seen for a while: it may be gone. */
  stale: boolean;
  /** When a call was last seen, by our clock; of an edge that is not stale when its satellite last said so. */
  seenAt: Date;
}

export interface ReachedService {
  name: string;
  /** Calls between it and the service asked about, at least 1. */
  depth: number;
  /** A shortest way from the service asked about to this one, both included. */
  path: string[];
  /** Every shortest way has an edge that was not seen for a while. */
  viaStale: boolean;
  /** Names of the satellites that see it. */
  satellites: string[];
  /** Of `get_impact`. Upper estimates, see `impactOf`. */
  impact?: {
    /** Of its work, 0 to 1. */
    affectedShare: number;
    /** Of the calls it answers; absent where no call rates are known. */
    affectedCallsPerSecond?: number;
  };
}

/** A satellite whose graph took part, or could not. */
export interface GraphSatellite {
  id: string;
  name: string;
  online: boolean;
  /** When its graph was last confirmed; absent: it never sent one. */
  asOf?: Date;
  /** Edges it sees. */
  edges: number;
  /** It sees more edges than a graph may have. */
  truncated: boolean;
}

export const UNKNOWN_KINDS = [
  'no_graph',
  'satellite_offline',
  'graph_old',
  'graph_truncated',
  'stale_edges',
  'no_call_rates',
  'estimate_low',
] as const;

/** Something that is not known and that the answer therefore may lack. */
export interface Unknown {
  kind: (typeof UNKNOWN_KINDS)[number];
  /** For people. */
  message: string;
  /** Name of the satellite that it is about. */
  satellite?: string;
  /** How many edges it is about, and some of them. */
  edges?: number;
  examples?: { caller: string; callee: string }[];
}

interface Asked {
  service: string;
  type: DependencyQueryType;
  satellites: GraphSatellite[];
  /** When the graphs that took part were last confirmed; absent: there are none. */
  asOf?: { oldest: Date; newest: Date };
  unknown: Unknown[];
}

/** There are calls of the service. */
export interface FoundDependencies extends Asked {
  found: true;
  depth?: number;
  /** Nearest first, then those with most affected calls, then by name. */
  services: ReachedService[];
  /** Among these services and the one asked about; those with most calls first. */
  edges: GraphEdge[];
  /** One for each group of services that call each other in circles, of all that were reached. */
  cycles: string[][];
  /** Of everything that was reached, in the answer or not. */
  totals: {
    services: number;
    edges: number;
    cycles: number;
    /** Of `get_impact`: of the services that nobody calls, where requests come in. Absent where no rates are known. */
    affectedEntryCallsPerSecond?: number;
  };
  /** There is more than the answer has. */
  truncated: boolean;
}

/** No call of the service was seen. */
export interface UnknownService extends Asked {
  found: false;
  /** Services with a similar name, the most similar first. */
  near: string[];
}

export type DependencyAnswer = FoundDependencies | UnknownService;
