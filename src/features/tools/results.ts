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
  'kind' | 'strength' | 'statement' | 'operation' | 'caller' | 'callee' | 'template' | 'example' | 'level' | 'unit'
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
