/**
 * Types of the shared tools' results, as JSON text. The offline model and the web app read them; a model sees the same
 * JSON. Times are ISO 8601 in UTC; numbers are rounded to six significant digits.
 */
import type { CauseEvidence } from '../diagnosis/index.ts';
import type { Alert, Change, MetricDescriptor, ServiceSummary, SourceDescription } from '../sources/port.ts';

export type IsoTime = string;

export interface WindowResult {
  from: IsoTime;
  to: IsoTime;
}

/** `list_sources` {} */
export interface ListSourcesResult {
  sources: (Omit<SourceDescription, 'window' | 'baseline' | 'alerts'> & {
    window?: WindowResult;
    baseline?: WindowResult;
    alerts: (Omit<Alert, 'at'> & { at: IsoTime })[];
    error?: string;
  })[];
  /** True if sources, or alerts of one, were left out. */
  truncated: boolean;
  now: IsoTime;
  /** For a team without a source: how to connect one. */
  note?: string;
}

/** `list_services` { source } */
export interface ListServicesResult {
  source: string;
  services: ServiceSummary[];
  total: number;
  truncated: boolean;
}

/** `search_metrics` { source, text?, service?, limit? } */
export interface SearchMetricsResult {
  source: string;
  metrics: MetricDescriptor[];
  truncated: boolean;
}

/** The statistics of one series against its baseline; see `diagnosis`. */
export interface AnomalyResult {
  meaning: string;
  direction: 'up' | 'down' | 'either';
  /** Signed robust score in the harmful direction: spreads away from the baseline's median. */
  score: number;
  baseline_median: number | null;
  baseline_spread: number | null;
  incident_value: number | null;
  onset: IsoTime | null;
}

/** `query_metric` { source, metric, service?, statistic?, from?, to?, baseline_from?, baseline_to? } */
export interface QueryMetricResult {
  source: string;
  metric: string;
  window: WindowResult;
  baseline: WindowResult;
  series: {
    service: string;
    statistic?: string;
    unit?: string;
    /** [ISO time, value or null], at most 60, downsampled so that extremes survive. */
    points: [IsoTime, number | null][];
    anomaly: AnomalyResult;
  }[];
  truncated: boolean;
}

/** `promql` { source, expr, from?, to? } */
export interface PromqlResult {
  source: string;
  expr: string;
  window: WindowResult;
  series: {
    labels: Record<string, string>;
    points: [IsoTime, number | null][];
    min: number;
    max: number;
    last: number;
  }[];
  truncated: boolean;
}

/** `search_logs` { source, service?, text?, level?, from?, to?, limit? } */
export interface SearchLogsResult {
  source: string;
  window: WindowResult;
  matched: number;
  truncated: boolean;
  /** Lines grouped by pattern, most frequent first; `<*>` marks variable parts. */
  patterns: { pattern: string; count: number; services: string[]; level?: string; first: IsoTime; last: IsoTime }[];
  /** A bounded sample of whole lines, errors first, in time order. */
  lines: { at: IsoTime; service: string; level?: string; message: string }[];
}

/** `search_traces` { source, service?, operation?, min_duration_ms?, max_duration_ms?, status?, from?, to?, limit? } */
export interface SearchTracesResult {
  source: string;
  window: WindowResult;
  /** Slowest first. */
  traces: {
    trace_id: string;
    /** Of the root span; where it is missing, of the earliest span. */
    service: string;
    operation: string;
    start: IsoTime;
    duration_ms: number;
    spans?: number;
    errors?: number;
  }[];
  /** More traces match; these are the slowest of the newest. */
  truncated: boolean;
}

/** `get_trace` { source, trace_id } */
export interface GetTraceResult {
  source: string;
  trace_id: string;
  start: IsoTime;
  duration_ms: number;
  /** All of them, shown or not. */
  span_count: number;
  errors: number;
  /** Where the time went, at most ten services. */
  services: { service: string; spans: number; errors: number; self_ms: number; network_ms: number }[];
  /** A waterfall: depth first, at most 45 spans, chosen by the time they took themselves and by failure. */
  spans: {
    depth: number;
    service: string;
    operation: string;
    kind?: string;
    status?: string;
    /** From the start of the trace. */
    offset_ms: number;
    duration_ms: number;
    /** Without the spans below it. */
    self_ms?: number;
    /** Of a span that only carries a call: its time without that of the span that serves the call. */
    network_ms?: number;
    /** Number of spans below that are not shown. */
    hidden?: number;
    /** The row as a sentence. */
    words: string;
  }[];
  truncated: boolean;
}

/** A quantity in the incident and in health. */
export interface TraceChangeResult {
  before: number | null;
  after: number | null;
  /** Signed: the change in units of what health shows by chance. */
  score: number;
  onset?: IsoTime;
}

/** `compare_traces` { source, service?, from?, to?, baseline_from?, baseline_to?, limit? } */
export interface CompareTracesResult {
  source: string;
  baseline: WindowResult;
  incident: WindowResult;
  /** Number of traces compared. */
  traces: { before: number; after: number };
  /** Not all traces of both windows were compared. */
  sampled: boolean;
  /** What differs notably, by the largest change first. */
  operations: {
    service: string;
    operation: string;
    /** Those of the three that changed; own time without calls, calls in a trace, failed share of 0 to 1. */
    self_ms?: TraceChangeResult;
    calls_per_trace?: TraceChangeResult;
    error_share?: TraceChangeResult;
    words: string;
  }[];
  /** Time between a caller's span and its callee's: network, proxies, queues. */
  network: { caller: string; callee: string; network_ms: TraceChangeResult; words: string }[];
  new_operations: TraceCountResult[];
  vanished_operations: TraceCountResult[];
  /** Who calls what: `caller` with its operation, then the callee's. */
  new_calls: (TraceCountResult & CallerResult)[];
  vanished_calls: (TraceCountResult & CallerResult)[];
  notes: string[];
  truncated: boolean;
}

interface TraceCountResult {
  service: string;
  operation: string;
  /** How often it was seen in the window that has it. */
  count: number;
  words: string;
}

interface CallerResult {
  caller: string;
  caller_operation: string;
}

/** `service_dependencies` { source, service, direction: downstream | upstream | impact, depth? } */
export interface ServiceDependenciesResult {
  source: string;
  service: string;
  direction: 'downstream' | 'upstream' | 'impact';
  services: { name: string; depth: number; path: string[] }[];
  edges: {
    caller: string;
    callee: string;
    calls_per_second?: number;
    error_ratio?: number;
    p95_seconds?: number;
    /** No recent calls. */
    stale?: boolean;
  }[];
  /** When the graph was last confirmed, if it is the live one; otherwise it is that of a window. */
  as_of?: IsoTime;
  /** What is unknown about the answer. */
  notes?: string[];
  cycles: string[][];
  truncated: boolean;
}

/** `recent_changes` { source, service?, from?, to? } */
export interface RecentChangesResult {
  source: string;
  window: WindowResult;
  changes: (Omit<Change, 'at'> & { at: IsoTime })[];
  truncated: boolean;
}

/** One observation that speaks for a cause. `before` and `after` are in `unit`; null when not known. */
export interface CauseEvidenceResult extends Pick<
  CauseEvidence,
  | 'kind'
  | 'strength'
  | 'surprise'
  | 'statement'
  | 'operation'
  | 'caller'
  | 'callee'
  | 'template'
  | 'example'
  | 'level'
  | 'unit'
> {
  onset: IsoTime | null;
  before: number | null;
  after: number | null;
}

/** `rank_root_causes` { source, service, metric?, at?, from?, to?, baseline_from?, baseline_to?, limit? } */
export interface RankRootCausesResult {
  source: string;
  alert: { service: string; metric?: string; at: IsoTime };
  incident: WindowResult;
  baseline: WindowResult;
  onset: IsoTime | null;
  /** Whether the symptom lasts until the end of the data; null if the alerting service shows none. */
  symptom: { ongoing: boolean; as_of: IsoTime } | null;
  considered: { services: number; series: number };
  /** Best first, at most `limit` (10). */
  causes: {
    rank: number;
    service: string;
    score: number;
    own_score: number;
    best_callee?: { service: string; score: number };
    reason: string;
    signals: (AnomalyResult & { metric: string; statistic?: string; unit?: string })[];
    /** Of all kinds, strongest first, at most five. */
    evidence: CauseEvidenceResult[];
  }[];
  /** How often the first cause is right at evidence like this, 0 to 1; below .5 no cause is established. */
  confidence: number;
  notes: string[];
}

/** `update_plan` { items: PlanItem[] } */
export interface UpdatePlanResult {
  items: number;
  done: number;
}
