import { type ServiceEvidence, serviceEvidence } from './evidence.ts';
import { latencyShortfall } from './latency-bound.ts';
import { metricMeaning } from './metric-meaning.ts';
import { detectOnset } from './onset.ts';
import { explainCause } from './reason.ts';
import { seriesAnomaly } from './series-anomaly.ts';
import { buildServiceGraph, isTransport, nearest, reachableDownstream, type ServiceGraph } from './service-graph.ts';
import type { MetricMeaning, MetricSeries, RankedCause, Ranking, RankingInput, SeriesAnomaly } from './types.ts';
import { resolveWindows } from './windows.ts';

/** Share of the best callee's evidence that a service's own must exceed; see docs/adr/0003. */
const CALLEE_DISCOUNT = 0.5;
/** Own evidence of a score of 3: below it a service is quiet. */
const QUIET = Math.log1p(3);
/** More than any evidence (at most 5.6, at the limit of a score), so that a lower tier always comes after a higher one. */
const TIER_STEP = 20;

interface Candidate {
  service: string;
  own: number;
  bestCallee?: { service: string; score: number };
  tier: number;
  signals: SeriesAnomaly[];
}

/**
 * Ranks services by how likely they are the root cause of an alert.
 *
 * Each service's evidence is the log of its strongest signed robust score; half of its best callee's evidence is
 * taken away, because a service is blamed only for what its dependencies do not already show. Services the alerting
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
  const own = ownEvidence(evidence, graph, alertMeaning);
  const tierOf = tiers(input, graph, services, own, notes);
  const candidates: Candidate[] = [...services].map((service) => ({
    service,
    own: own.get(service) ?? 0,
    ...bestCalleeOf(service, graph, evidence, own),
    tier: tierOf(service),
    signals: evidence.get(service)?.signals ?? [],
  }));
  const causes = candidates.map((candidate) => toCause(candidate, byService, windows));
  causes.sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
  return {
    causes,
    ...(windows.onset === undefined ? {} : { onset: windows.onset }),
    incident: windows.incident,
    baseline: windows.baseline,
    considered: { services: services.size, series: input.series.length },
    notes,
  };
}

/** The bound of latency-bound.ts for a slow alerting service and the services it waits for; 0 for all others. */
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

/** Harm, or the rise in traffic that no caller shows: calls flow downwards, so a caller's rise explains a callee's. */
function ownEvidence(
  evidence: ReadonlyMap<string, ServiceEvidence>,
  graph: ServiceGraph,
  alertMeaning: MetricMeaning | undefined,
): Map<string, number> {
  const own = new Map<string, number>();
  for (const [service, { harm, traffic }] of evidence) {
    let unexplained = traffic;
    if (traffic > harm && alertMeaning !== 'traffic') {
      const callers = nearest(service, graph.callersOf, (caller) => {
        return (evidence.get(caller)?.scoredSeries ?? 0) > 0 && !isTransport(caller);
      });
      for (const caller of callers) {
        unexplained = Math.min(unexplained, traffic - (evidence.get(caller)?.traffic ?? 0));
      }
    }
    own.set(service, Math.max(harm, unexplained));
  }
  return own;
}

/**
 * The callee with the most evidence. Services without a single comparable series, and transport nodes with something
 * behind them, are looked through; a transport node with nothing behind it speaks for what it hides.
 */
function bestCalleeOf(
  service: string,
  graph: ServiceGraph,
  evidence: ReadonlyMap<string, ServiceEvidence>,
  own: ReadonlyMap<string, number>,
): Pick<Candidate, 'bestCallee'> {
  const callees = nearest(service, graph.calleesOf, (callee) => {
    if (isTransport(callee) && graph.calleesOf(callee).size > 0) return false;
    return (evidence.get(callee)?.scoredSeries ?? 0) > 0;
  });
  let best: { service: string; score: number } | undefined;
  for (const callee of callees) {
    const score = own.get(callee) ?? 0;
    if (score === 0) continue;
    if (best === undefined || score > best.score || (score === best.score && callee < best.service)) {
      best = { service: callee, score };
    }
  }
  return best === undefined ? {} : { bestCallee: best };
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
): RankedCause {
  const { service, own, bestCallee, tier } = candidate;
  const score = own - CALLEE_DISCOUNT * (bestCallee?.score ?? 0) - TIER_STEP * tier;
  const signals = candidate.signals.map((signal) => {
    const series = byService
      .get(service)
      ?.find((one) => one.metric === signal.metric && one.statistic === signal.statistic);
    const onset = series && detectOnset(series, { search: windows.incident, reference: windows.baseline });
    return onset === undefined ? signal : { ...signal, onset };
  });
  return {
    service,
    score,
    ownScore: own,
    ...(bestCallee === undefined ? {} : { bestCallee }),
    signals,
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
