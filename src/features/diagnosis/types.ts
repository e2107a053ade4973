/** What a metric says about a service; decides which direction of change is harmful. */
export type MetricMeaning = 'latency' | 'errors' | 'saturation' | 'headroom' | 'availability' | 'traffic' | 'other';

export type HarmfulDirection = 'up' | 'down' | 'either';

/** One metric of one service. Cumulative counters must arrive as rates. */
export interface MetricSeries {
  service: string;
  metric: string;
  /** For example `p95`, `Average`, `Sum`, `rate`. */
  statistic?: string;
  unit?: string;
  /** Unix seconds, ascending. */
  timestamps: number[];
  /** Same length as `timestamps`; NaN (or an infinity) is a missing sample. */
  values: number[];
}

/** One operation of one service within a trace. A client span and its server span are parent and child. */
export interface Span {
  traceId: string;
  spanId: string;
  parentId?: string;
  service: string;
  operation: string;
  /** Unix seconds. */
  start: number;
  durationMs: number;
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  /** Absent when the source does not say. */
  status?: 'ok' | 'error';
}

export interface LogLine {
  /** Unix seconds. */
  at: number;
  service: string;
  level?: string;
  message: string;
}

/** `caller` depends on `callee`. */
export interface ServiceEdge {
  caller: string;
  callee: string;
  callsPerSecond?: number;
}

/** Half-open interval `[from, to)` in unix seconds. */
export interface TimeWindow {
  from: number;
  to: number;
}

export interface Alert {
  service: string;
  metric?: string;
  /** Unix seconds when the alert fired or the symptom was observed. */
  at: number;
}

export interface RankingInput {
  series: MetricSeries[];
  /** Empty when no dependency graph is known: every service is then a candidate. */
  edges: ServiceEdge[];
  /** Whole traces of the baseline and the incident: all of them or a sample. Empty or absent takes nothing away. */
  spans?: readonly Span[];
  /** Log lines of the baseline and the incident, in order of time. Empty or absent takes nothing away. */
  logs?: readonly LogLine[];
  /** Absent when only "something is wrong in this window" is known. */
  alert?: Alert;
  /** Healthy reference, when known. It may be far from the incident, before or after it. */
  baseline?: TimeWindow;
  /** The window to explain, when known. The fault need not be present in all of it. */
  incident?: TimeWindow;
}

/** The statistics of one series in an incident, as shown beside a metric and used by the ranker. */
export interface SeriesAnomaly {
  service: string;
  metric: string;
  statistic?: string;
  unit?: string;
  meaning: MetricMeaning;
  direction: HarmfulDirection;
  /**
   * Robust score: change in units of the baseline's spread. Positive is harmful; for `either`, positive is up and
   * negative is down. 0 when there is nothing to compare.
   */
  score: number;
  /** NaN when the baseline has no samples. */
  baselineMedian: number;
  /** max(IQR, standard deviation, floor); NaN when the baseline has no samples. */
  baselineSpread: number;
  /** The value the score is about (the most harmful one); NaN without incident samples. */
  incidentValue: number;
  /** Median just before the onset; absent when there are no samples then, or the time was not asked for. */
  levelBefore?: number;
  baselineSamples: number;
  incidentSamples: number;
  /** Samples of the incident that are at least half way from the baseline's median to `incidentValue`. */
  persistence: number;
  /** When the series first crossed half of its deviation, unix seconds. */
  onset?: number;
}

/**
 * What kind of behaviour speaks for a cause: a metric that moved; the own time of an operation (its duration without
 * that of the calls it makes); the time a call spends between caller and callee; failed spans; calls that are no longer
 * made, or never were before; log lines of a new template, of one that vanished, or of one more frequent than before.
 */
export type EvidenceKind =
  | 'metric'
  | 'self_time'
  | 'edge_time'
  | 'span_errors'
  | 'missing_calls'
  | 'new_calls'
  | 'new_logs'
  | 'missing_logs'
  | 'log_rate';

/** One observation that speaks for a cause, before against after. */
export interface CauseEvidence {
  kind: EvidenceKind;
  /** One scale for all kinds, >= 0: log(1 + how many healthy spreads the change measures). */
  strength: number;
  /**
   * Information in nats that health does not show as much by chance. Absent for traces and logs, whose strength it
   * already bounds.
   */
  surprise?: number;
  /** One plain sentence with figures. */
  statement: string;
  /** When it began, unix seconds; absent when not known. */
  onset?: number;
  operation?: string;
  caller?: string;
  callee?: string;
  /** Log template; `<*>` marks variable parts. */
  template?: string;
  /** One line of the template, verbatim. */
  example?: string;
  level?: string;
  /** In `unit`, healthy and in the incident; NaN when not known. */
  before: number;
  after: number;
  /** Empty when not known. */
  unit: string;
}

export interface RankedCause {
  service: string;
  /** Orders the ranking; comparable within one ranking only. */
  score: number;
  /** Evidence in the service's own series, before its callees are considered (natural log scale, >= 0). */
  ownScore: number;
  bestCallee?: { service: string; score: number };
  /** Strongest first, at most five. */
  signals: SeriesAnomaly[];
  /** Of all kinds, strongest first, at most five. */
  evidence: CauseEvidence[];
  /** One sentence an operator can read. */
  reason: string;
}

/** How the symptom stands at the end of the data. */
export interface SymptomState {
  isOngoing: boolean;
  /** Time of the last sample, unix seconds. */
  asOf: number;
}

export interface Ranking {
  causes: RankedCause[];
  /** How often the first cause is right at evidence like this, 0 to 1; below .5 no cause is established. */
  confidence: number;
  onset?: number;
  /** Absent if no metric of the alerting service shows a symptom. */
  symptom?: SymptomState;
  incident: TimeWindow;
  baseline: TimeWindow;
  considered: { services: number; series: number };
  /** What limited the ranking: missing data, an unknown alerting service, an absent graph. */
  notes: string[];
}
