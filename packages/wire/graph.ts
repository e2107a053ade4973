/** The dependency graph on the wire: one snapshot, then deltas. */
import { z } from 'zod';
import { wireName } from './inventory.ts';
import { MAX_EDGES_PER_MESSAGE } from './limits.ts';

const amount = z.number().min(0).finite();

/** Where an edge was seen. */
export const EDGE_SOURCES = ['service-graph', 'istio', 'linkerd', 'spans', 'recorded'] as const;

/** One service calls another, with measurements of the last minutes. */
export const wireEdge = z.object({
  caller: wireName,
  callee: wireName,
  callsPerSecond: amount.optional(),
  /** Failed calls divided by all calls, 0 to 1. */
  errorRatio: z.number().min(0).max(1).optional(),
  p50Seconds: amount.optional(),
  p95Seconds: amount.optional(),
  sources: z.array(z.enum(EDGE_SOURCES)).min(1).max(EDGE_SOURCES.length),
  /** How long ago a call was last seen, in ms. */
  seenAgoMs: amount,
  /** No call was seen for a while; if that lasts, the edge is removed. */
  stale: z.boolean(),
});

/**
 * Part of a snapshot (which replaces the whole graph once its last part has arrived) or a delta (which changes it).
 * Every non-stale edge that a delta does not mention was seen again: a delta confirms the rest of the graph.
 */
export const graphMessage = z.object({
  type: z.literal('graph'),
  /** New for each snapshot; deltas name the snapshot they change. */
  epoch: z.uuid(),
  /** 0, 1, 2 … within an epoch: a gap means a lost message, and the receiver requests a snapshot. */
  seq: z.number().int().min(0),
  kind: z.enum(['snapshot', 'delta']),
  /** Whether this is the last part of the snapshot or delta, which then takes effect as a whole. */
  last: z.boolean(),
  edges: z.array(wireEdge).max(MAX_EDGES_PER_MESSAGE),
  /** Removed edges: caller, callee. */
  gone: z.array(z.tuple([wireName, wireName])).max(MAX_EDGES_PER_MESSAGE),
});

export type EdgeSource = (typeof EDGE_SOURCES)[number];
export type WireEdge = z.output<typeof wireEdge>;
export type GraphMessage = z.output<typeof graphMessage>;
