/** Questions about the dependency graph, and their answers. */
import type { EdgeSource } from '@casebook/wire';

export const DEPENDENCY_QUERIES = ['get_downstream', 'get_upstream', 'get_impact'] as const;
/** What the service calls; what depends on it; what its failure affects. Directly or not. */
export type DependencyQueryType = (typeof DEPENDENCY_QUERIES)[number];

export interface DependencyQuery {
  type: DependencyQueryType;
  service: string;
  /** Maximum number of calls away; unlimited by default. */
  depth?: number;
  /** Maximum number of services in the answer. */
  limit: number;
}

/** One service calls another. */
export interface GraphEdge {
  caller: string;
  callee: string;
  callsPerSecond?: number;
  /** Failed calls divided by all calls, 0 to 1. */
  errorRatio?: number;
  p50Seconds?: number;
  p95Seconds?: number;
  sources: EdgeSource[];
  /** No call was seen for a while: the edge may be gone. */
  stale: boolean;
  /** When a call was last seen, by our clock; for an edge that is not stale, when its satellite last confirmed it. */
  seenAt: Date;
}

export interface ReachedService {
  name: string;
  /** Number of calls between it and the service in question, at least 1. */
  depth: number;
  /** A shortest path from the service in question to this one, both included. */
  path: string[];
  /** Every shortest path contains a stale edge. */
  viaStale: boolean;
  /** Names of the satellites that see it. */
  satellites: string[];
  /** For `get_impact`. Upper estimates, see `impactOf`. */
  impact?: {
    /** Share of its work, 0 to 1. */
    affectedShare: number;
    /** Share of the calls it answers; absent when no call rates are known. */
    affectedCallsPerSecond?: number;
  };
}

/** A satellite whose graph was used, or could not be. */
export interface GraphSatellite {
  id: string;
  name: string;
  online: boolean;
  /** When its graph was last confirmed; absent if it never sent one. */
  asOf?: Date;
  /** Number of edges it sees. */
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

/** A gap in what is known, which the answer may therefore lack. */
export interface Unknown {
  kind: (typeof UNKNOWN_KINDS)[number];
  /** For people. */
  message: string;
  /** Name of the satellite concerned. */
  satellite?: string;
  /** How many edges are concerned, and some of them. */
  edges?: number;
  examples?: { caller: string; callee: string }[];
}

interface Asked {
  service: string;
  type: DependencyQueryType;
  satellites: GraphSatellite[];
  /** When the graphs used were last confirmed; absent without graphs. */
  asOf?: { oldest: Date; newest: Date };
  unknown: Unknown[];
}

/** The service appears in calls. */
export interface FoundDependencies extends Asked {
  found: true;
  depth?: number;
  /** Nearest first, then most affected calls, then by name. */
  services: ReachedService[];
  /** Among these services and the one in question; most called first. */
  edges: GraphEdge[];
  /** One for each group of reached services that call each other in cycles. */
  cycles: string[][];
  /** Of everything that was reached, whether or not it is in the answer. */
  totals: {
    services: number;
    edges: number;
    cycles: number;
    /** For `get_impact`: the services without callers, where requests enter. Absent when no rates are known. */
    affectedEntryCallsPerSecond?: number;
  };
  /** More exists than the answer contains. */
  truncated: boolean;
}

/** No call of the service was seen. */
export interface UnknownService extends Asked {
  found: false;
  /** Services with a similar name, most similar first. */
  near: string[];
}

export type DependencyAnswer = FoundDependencies | UnknownService;
