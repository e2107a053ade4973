import { compareBehaviour, type Behaviour, type Behaviours } from './behaviour.ts';
import { confidenceIn } from './confidence.ts';
import { seriesEvidence, type ServiceEvidence, serviceEvidence } from './evidence.ts';
import { explainedShare, latencyShortfall } from './explained-share.ts';
import { metricEvidence } from './metric-evidence.ts';
import { metricMeaning } from './metric-meaning.ts';
import { detectOnset } from './onset.ts';
import { explainCause } from './reason.ts';
import { anomalySurprise, seriesAnomaly, shareScale } from './series-anomaly.ts';
import { buildServiceGraph, isTransport, nearest, reachableDownstream, type ServiceGraph } from './service-graph.ts';
import type {
  CauseEvidence,
  MetricMeaning,
  MetricSeries,
  RankedCause,
  Ranking,
  RankingInput,
  SeriesAnomaly,
} from './types.ts';
import { aboutFailures, symptomState } from './symptom.ts';
import { resolveWindows } from './windows.ts';

/** Share of a callee's evidence that its caller's must exceed where figures are missing; see docs/adr/0003. */
const CALLEE_DISCOUNT = 0.5;
/** Own evidence of a score of 3: below it a service is quiet. */
const QUIET = Math.log1p(3);
/** More than any evidence (at most 5.6, at the limit of a score), so that a lower tier always follows a higher one. */
const TIER_STEP = 20;

const MAX_EVIDENCE = 5;
/** What a second and a third kind of evidence for the same service add. */
const FURTHER_KINDS = 0.3;
/** What use of a resource weighs in a service that is not slowed by it. */
const UNHARMED_WEIGHT = 0.5;
/** Share of the whole from which on nothing of a resource is left. */
const AT_LIMIT = 0.9;
const SYMPTOM_WEIGHT = 0.5;
/** Share of a callee's failure that explains its caller's. */
const INHERITED_FAILURE = 0.7;
/** Share of a callee's slowness that explains its caller's: requests queue in the caller for a callee that is slow. */
const QUEUED = 0.5;

interface Candidate {
  service: string;
  own: number;
  bestCallee?: { service: string; score: number };
  /** What the callees subtract from the evidence. */
  discount: number;
  tier: number;
  signals: SeriesAnomaly[];
  behaviour: OwnBehaviour;
  /** What a metric of the service weighs. */
  weightOf: (anomaly: SeriesAnomaly) => number;
}

/** What traces and logs show of a service beyond what it inherits. */
interface OwnBehaviour {
  slow: number;
  failing: number;
  evidence: CauseEvidence[];
}

/**
 * Ranks services by how likely they are the root cause of an alert.
 *
 * Metrics, traces and logs each give a service evidence on one scale, the log of a robust score; the strongest kind
 * counts, further kinds add a share. The part of a callee's evidence that accounts for its own is subtracted (half
 * where figures are missing), because a service is blamed only for what its dependencies do not already show. Services
 * the alerting one cannot reach come after those it can, transport nodes last. Every service with a series, an edge, a
 * span or a line is in the result. Deterministic, and independent of the order of its input. Never throws on gaps, NaN
 * or cycles; kinds that are absent take nothing away. See docs/adr/0025.
 */
export function rankRootCauses({ alert, ...given }: RankingInput): Ranking {
  const symptomatic = aboutFailures(alert, given.series);
  const input = { ...given, ...(symptomatic && { alert: symptomatic }) };
  const windows = resolveWindows(input);
  const behaviours = compareBehaviour(input, windows);
  const notes = [...windows.notes, ...behaviours.notes];
  const alertMeaning = input.alert?.metric === undefined ? undefined : metricMeaning(input.alert.metric);
  const byService = groupByService(input.series);
  const graph = buildServiceGraph(input.edges);
  const services = new Set([...byService.keys(), ...graph.nodes, ...behaviours.of.keys()]);
  const anomalies = new Map<string, SeriesAnomaly[]>();
  for (const service of services) {
    anomalies.set(
      service,
      (byService.get(service) ?? []).map((one) => seriesAnomaly(one, windows)),
    );
  }
  const shortfallOf = latencyBound(input, graph, anomalies, alertMeaning);
  const weights = (service: string): ((anomaly: SeriesAnomaly) => number) => {
    const isAlerting = service === input.alert?.service && (input.spans ?? []).length > 0;
    return metricWeight(behaviours.of.get(service), isAlerting);
  };
  const evidence = new Map<string, ServiceEvidence>();
  let scored = 0;
  for (const [service, found] of anomalies) {
    const pooled = serviceEvidence(found, alertMeaning, shortfallOf(service), weights(service));
    scored += pooled.scoredSeries;
    evidence.set(service, pooled);
  }
  const unscored = input.series.length - scored;
  if (unscored > 0) {
    notes.push(`${unscored} of ${input.series.length} series could not be compared: no samples in one of the windows.`);
  }
  const own = new Map([...evidence].map(([service, { harm }]) => [service, harm]));
  const loudness = new Map(
    [...services].map((service) => {
      const { slow = [], failing = [] } = behaviours.of.get(service) ?? {};
      return [service, Math.max(own.get(service) ?? 0, slow[0]?.strength ?? 0, failing[0]?.strength ?? 0)];
    }),
  );
  const tierOf = tiers(input, graph, services, { loudness, isTraced: behaviours.isTraced }, notes);
  const candidates: Candidate[] = [...services].map((service) => ({
    service,
    own: own.get(service) ?? 0,
    ...bestCalleeOf(service, graph, evidence, (callee) => {
      return explainedShare(anomalies.get(service) ?? [], anomalies.get(callee) ?? [], alertMeaning);
    }),
    tier: tierOf(service),
    signals: evidence.get(service)?.signals ?? [],
    behaviour: ownBehaviour(service, graph, behaviours),
    weightOf: weights(service),
  }));
  const causes = candidates.map((candidate) => toCause(candidate, byService, windows, alertMeaning));
  causes.sort((a, b) => b.score - a.score || (a.service < b.service ? -1 : 1));
  const symptom = symptomState(input.series, input.alert, windows);
  return {
    causes,
    confidence: confidenceIn(causes, input.series.length),
    ...(windows.onset === undefined ? {} : { onset: windows.onset }),
    ...(symptom && { symptom }),
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

/**
 * What a metric of a traced service weighs. Its latency includes the time of others, which its spans tell apart; use of a
 * resource that harms a service shows in its own time, unless none is left; and failures of the service that alerts are
 * what is to be explained.
 */
function metricWeight(behaviour: Behaviour | undefined, isAlerting: boolean): (anomaly: SeriesAnomaly) => number {
  const symptom = isAlerting ? SYMPTOM_WEIGHT : 1;
  const isSymptom = (meaning: MetricMeaning): boolean => meaning === 'errors' || meaning === 'availability';
  if (!behaviour?.isTraced) return ({ meaning }) => (isSymptom(meaning) ? symptom : 1);
  const slowed = Math.min(1, (behaviour.slow[0]?.strength ?? 0) / QUIET);
  const resource = UNHARMED_WEIGHT + (1 - UNHARMED_WEIGHT) * slowed;
  return ({ meaning, metric, unit, incidentValue }) => {
    if (meaning === 'latency') return 0;
    if (meaning === 'other') return UNHARMED_WEIGHT * resource;
    if (isSymptom(meaning)) return symptom;
    const full = /cpu/i.test(metric) ? shareScale(unit) : undefined;
    return full !== undefined && incidentValue >= AT_LIMIT * full ? 1 : resource;
  };
}

/** The strongest kind of evidence, and part of each other that agrees. */
function pool(metrics: number, others: readonly number[]): number {
  const present = others.filter((other) => other > 0);
  const strongest = Math.max(metrics, ...present);
  let further = Math.max(0, metrics);
  for (const other of present) further += other;
  return strongest + FURTHER_KINDS * (further - Math.max(0, strongest));
}

function ownBehaviour(service: string, graph: ServiceGraph, { of }: Behaviours): OwnBehaviour {
  const behaviour = of.get(service);
  if (behaviour === undefined) return { slow: 0, failing: 0, evidence: [] };
  const strongest = (one: Behaviour | undefined): number => one?.failing[0]?.strength ?? 0;
  let inherited = 0;
  for (const callee of reachableDownstream(graph, service)) {
    if (callee !== service) inherited = Math.max(inherited, strongest(of.get(callee)));
  }
  const selfTime = (one: Behaviour | undefined): number =>
    one?.slow.find(({ kind }) => kind === 'self_time')?.strength ?? 0;
  const queued = QUEUED * Math.max(0, ...[...graph.calleesOf(service)].map((callee) => selfTime(of.get(callee))));
  return {
    slow: Math.max(
      0,
      ...behaviour.slow.map(({ kind, strength }) => (kind === 'self_time' ? strength - queued : strength)),
    ),
    failing: Math.max(0, strongest(behaviour) - INHERITED_FAILURE * inherited),
    evidence: [...behaviour.slow.slice(0, MAX_EVIDENCE), ...behaviour.failing.slice(0, MAX_EVIDENCE)],
  };
}

/** 0 for candidates, 1 for services the alerting one does not depend on, 2 for transport nodes. */
function tiers(
  input: RankingInput,
  graph: ServiceGraph,
  services: ReadonlySet<string>,
  { loudness: own, isTraced }: { loudness: ReadonlyMap<string, number>; isTraced: boolean },
  notes: string[],
): (service: string) => number {
  const transport = (service: string): boolean => graph.nodes.has(service) && isTransport(service);
  const everyone = (service: string): number => (transport(service) ? 2 : 0);
  if (graph.nodes.size === 0) {
    notes.push('No dependency graph: services are ranked independently.');
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
  if (!loud && elsewhere && !isTraced) {
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
  const { service, own, bestCallee, discount, tier, behaviour, weightOf } = candidate;
  const score = pool(own - discount, [behaviour.slow, behaviour.failing]) - TIER_STEP * tier;
  const signals = candidate.signals.map((anomaly) => {
    const series = byService
      .get(service)!
      .find((one) => one.metric === anomaly.metric && one.statistic === anomaly.statistic)!;
    const onset = detectOnset(series, { search: windows.incident, reference: windows.baseline });
    const surprise = anomalySurprise(series, anomaly, windows);
    return { anomaly: onset === undefined ? anomaly : { ...anomaly, onset }, surprise };
  });
  const evidence = [
    ...signals.map(({ anomaly, surprise }) =>
      metricEvidence(anomaly, seriesEvidence(anomaly, alertMeaning) * weightOf(anomaly), surprise),
    ),
    ...behaviour.evidence,
  ]
    .filter(({ strength }) => strength > 0)
    .sort((a, b) => b.strength - a.strength)
    .slice(0, MAX_EVIDENCE);
  return {
    service,
    score,
    ownScore: Math.max(own, behaviour.slow, behaviour.failing),
    ...(bestCallee === undefined ? {} : { bestCallee }),
    signals: signals.map(({ anomaly }) => anomaly),
    evidence,
    reason: explainCause({ own, bestCallee, tier, evidence }),
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
