import { confidenceIn } from './confidence.ts';
import { seriesEvidence, type ServiceEvidence, serviceEvidence } from './evidence.ts';
import { explainedShare, latencyShortfall } from './explained-share.ts';
import { metricEvidence } from './metric-evidence.ts';
import { metricMeaning } from './metric-meaning.ts';
import { detectOnset } from './onset.ts';
import { explainCause } from './reason.ts';
import { seriesAnomaly } from './series-anomaly.ts';
import { buildServiceGraph, isTransport, nearest, reachableDownstream, type ServiceGraph } from './service-graph.ts';
import type { MetricMeaning, MetricSeries, RankedCause, Ranking, RankingInput, SeriesAnomaly } from './types.ts';
import { resolveWindows } from './windows.ts';

/** Share of a callee's evidence that its caller's must exceed where figures are missing; see docs/adr/0003. */
const CALLEE_DISCOUNT = 0.5;
/** Own evidence of a score of 3: below it a service is quiet. */
const QUIET = Math.log1p(3);
/** More than any evidence (at most 5.6, at the limit of a score), so that a lower tier always follows a higher one. */
const TIER_STEP = 20;

interface Candidate {
  service: string;
  own: number;
  bestCallee?: { service: string; score: number };
  /** What the callees subtract from the evidence. */
  discount: number;
  tier: number;
  signals: SeriesAnomaly[];
}

/**
 * Ranks services by how likely they are the root cause of an alert.
 *
 * Each service's evidence is the log of its strongest signed robust score. The part of a callee's evidence that
 * accounts for its own is subtracted (half where figures are missing), because a service is blamed only for what its
 * dependencies do not already show. Services the alerting
 * one cannot reach come after those it can, transport nodes last. Every service that has a series or an edge is in
 * the result. Deterministic, and independent of the order of series and edges. Never throws on gaps, NaN or cycles.
 */
export function rankRootCauses(input: RankingInput): Ranking {
  const windows = resolveWindows(input);
  const notes = [...windows.notes];
  const alertMeaning = input.alert?.metric === undefined ? undefined : metricMeaning(input.alert.metric);
  const byService = groupByService(input.series);
  const graph = buildServiceGraph(input.edges);
  const services = new Set([...byService.keys(), ...graph.nodes]);
  const anomalies = new Map<string, SeriesAnomaly[]>();
  for (const service of services) {
    anomalies.set(
      service,
      (byService.get(service) ?? []).map((one) => seriesAnomaly(one, windows)),
    );
  }
  const shortfallOf = latencyBound(input, graph, anomalies, alertMeaning);
  const evidence = new Map<string, ServiceEvidence>();
  let scored = 0;
  for (const [service, found] of anomalies) {
    const pooled = serviceEvidence(found, alertMeaning, shortfallOf(service));
    scored += pooled.scoredSeries;
    evidence.set(service, pooled);
  }
  const unscored = input.series.length - scored;
  if (unscored > 0) {
    notes.push(`${unscored} of ${input.series.length} series could not be compared: no samples in one of the windows.`);
  }
  const own = new Map([...evidence].map(([service, { harm }]) => [service, harm]));
  const tierOf = tiers(input, graph, services, own, notes);
  const candidates: Candidate[] = [...services].map((service) => ({
    service,
    own: own.get(service) ?? 0,
    ...bestCalleeOf(service, graph, evidence, (callee) => {
      return explainedShare(anomalies.get(service) ?? [], anomalies.get(callee) ?? [], alertMeaning);
    }),
    tier: tierOf(service),
    signals: evidence.get(service)?.signals ?? [],
  }));
  const causes = candidates.map((candidate) => toCause(candidate, byService, windows, alertMeaning));
  causes.sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
  return {
    causes,
    confidence: confidenceIn(causes),
    ...(windows.onset === undefined ? {} : { onset: windows.onset }),
    incident: windows.incident,
    baseline: windows.baseline,
    considered: { services: services.size, series: input.series.length },
    notes,
  };
}

/** The bound of explained-share.ts for a slow alerting service and the services it waits for; 0 for all others. */
function latencyBound(
  { alert }: RankingInput,
  graph: ServiceGraph,
  anomalies: ReadonlyMap<string, SeriesAnomaly[]>,
  alertMeaning: MetricMeaning | undefined,
): (service: string) => number {
  const alerting = alert === undefined ? undefined : anomalies.get(alert.service);
  if (alert === undefined || alerting === undefined || alertMeaning !== 'latency') return () => 0;
  const waitedFor = reachableDownstream(graph, alert.service);
  return (service) => {
    if (service === alert.service || !waitedFor.has(service)) return 0;
    return latencyShortfall(anomalies.get(service) ?? [], alerting);
  };
}

/**
 * The callee that takes most from a service's evidence: all of its own evidence if it accounts for all of the service's
 * change, half if figures are missing. Transport nodes and services without a single comparable series are looked
 * through.
 */
function bestCalleeOf(
  service: string,
  graph: ServiceGraph,
  evidence: ReadonlyMap<string, ServiceEvidence>,
  shareOf: (callee: string) => number | undefined,
): Pick<Candidate, 'bestCallee' | 'discount'> {
  const callees = nearest(service, graph.calleesOf, (callee) => {
    return !isTransport(callee) && (evidence.get(callee)?.scoredSeries ?? 0) > 0;
  });
  let best: { service: string; score: number } | undefined;
  let discount = 0;
  for (const callee of callees) {
    const score = evidence.get(callee)?.harm ?? 0;
    const taken = score * Math.min(1, shareOf(callee) ?? CALLEE_DISCOUNT);
    if (taken === 0) continue;
    if (best === undefined || taken > discount || (taken === discount && callee < best.service)) {
      best = { service: callee, score };
      discount = taken;
    }
  }
  return best === undefined ? { discount } : { bestCallee: best, discount };
}

/** 0 for candidates, 1 for services the alerting one does not depend on, 2 for transport nodes. */
function tiers(
  input: RankingInput,
  graph: ServiceGraph,
  services: ReadonlySet<string>,
  own: ReadonlyMap<string, number>,
  notes: string[],
): (service: string) => number {
  const transport = (service: string): boolean => graph.nodes.has(service) && isTransport(service);
  const everyone = (service: string): number => (transport(service) ? 2 : 0);
  if (graph.nodes.size === 0) {
    notes.push('No dependency graph: every service is a candidate and none explains another.');
    return everyone;
  }
  const alerting = input.alert?.service;
  if (alerting === undefined || !graph.nodes.has(alerting)) {
    if (alerting !== undefined) notes.push(`${alerting} is not in the dependency graph: every service is a candidate.`);
    return everyone;
  }
  const reachable = reachableDownstream(graph, alerting);
  if (reachable.size === 1) {
    notes.push(`${alerting} calls nothing in the dependency graph: every service is a candidate.`);
    return everyone;
  }
  const loud = [...reachable].some((service) => !transport(service) && (own.get(service) ?? 0) >= QUIET);
  const elsewhere = [...services].some(
    (service) => !reachable.has(service) && !transport(service) && (own.get(service) ?? 0) >= QUIET,
  );
  if (!loud && elsewhere) {
    notes.push(
      `Nothing ${alerting} depends on shows an anomaly: services outside its dependencies are candidates too.`,
    );
    return everyone;
  }
  return (service) => (transport(service) ? 2 : reachable.has(service) ? 0 : 1);
}

function toCause(
  candidate: Candidate,
  byService: ReadonlyMap<string, MetricSeries[]>,
  windows: ReturnType<typeof resolveWindows>,
  alertMeaning: MetricMeaning | undefined,
): RankedCause {
  const { service, own, bestCallee, discount, tier } = candidate;
  const score = own - discount - TIER_STEP * tier;
  const signals = candidate.signals.map((anomaly) => {
    const series = byService
      .get(service)
      ?.find((one) => one.metric === anomaly.metric && one.statistic === anomaly.statistic);
    const onset = series && detectOnset(series, { search: windows.incident, reference: windows.baseline });
    return onset === undefined ? anomaly : { ...anomaly, onset };
  });
  return {
    service,
    score,
    ownScore: own,
    ...(bestCallee === undefined ? {} : { bestCallee }),
    signals,
    evidence: signals.map((signal) => metricEvidence(signal, seriesEvidence(signal, alertMeaning))),
    reason: explainCause({ service, own, bestCallee, tier, signals }),
  };
}

function groupByService(series: readonly MetricSeries[]): Map<string, MetricSeries[]> {
  const byService = new Map<string, MetricSeries[]>();
  for (const one of series) {
    const group = byService.get(one.service);
    if (group === undefined) byService.set(one.service, [one]);
    else group.push(one);
  }
  return byService;
}
