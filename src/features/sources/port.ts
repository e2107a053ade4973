/**
 * The interface of a telemetry source to the agent's tools. A source implements the parts it has; `capabilities` lists
 * them. All times are unix seconds (fractions allowed), windows are half-open `[from, to)`. Every call takes an
 * `AbortSignal` and must stop its work when it fires. A source that cannot answer throws {@link SourceError} with a
 * message that a model and an operator can act on.
 */
import type { Clock } from '../../platform/clock.ts';
import type { LogLine, MetricSeries, ServiceEdge, Span, TimeWindow } from '../diagnosis/index.ts';

export type { LogLine, MetricSeries, ServiceEdge, Span, TimeWindow };

export type SourceKind =
  | 'recorded-incident'
  | 'prometheus'
  | 'loki'
  | 'jaeger'
  | 'tempo'
  | 'dependency-graph'
  | 'postgresql'
  | 'clickhouse'
  | 'newrelic'
  | 'cloudflare'
  | 'googlecloud'
  | 'azuremonitor'
  | 'mcp'
  | 'github'
  | 'gitlab'
  | 'gitea';
export type SourceCapability =
  | 'services'
  | 'metrics'
  | 'promql'
  | 'logs'
  | 'traces'
  | 'dependencies'
  | 'changes'
  | 'alerts'
  | 'sql'
  /** It is asked through tools of its own, which carry its name. */
  | 'tools';

export interface CallOptions {
  signal: AbortSignal;
}

/** An alert that fired: usually what the user is investigating. */
export interface Alert {
  name: string;
  service: string;
  metric?: string;
  /** Unix seconds at which it was observed; may be minutes after the onset. */
  at: number;
  summary: string;
}

export interface SourceDescription {
  id: string;
  kind: SourceKind;
  title: string;
  capabilities: SourceCapability[];
  /** The period that the source covers, if bounded. */
  window?: TimeWindow;
  /** A period known to be healthy, if the source states one. */
  baseline?: TimeWindow;
  alerts: Alert[];
}

export interface ServiceSummary {
  name: string;
  /** Further facts from the source: language, team, kind; free text. */
  description?: string;
  metrics: number;
}

export interface MetricDescriptor {
  metric: string;
  /** Services that have the metric, at most 20 named. */
  services: string[];
  serviceCount: number;
  statistics: string[];
  unit?: string;
  /** Prometheus kind; `unknown` when the source does not say. */
  type: 'counter' | 'gauge' | 'histogram' | 'summary' | 'unknown';
  help?: string;
}

export interface MetricQuery extends TimeWindow {
  metric: string;
  service?: string;
  statistic?: string;
  /** Exact label matches. */
  labels?: Record<string, string>;
  /** Maximum number of points per series; the source chooses its step accordingly. */
  maxPoints: number;
}

export interface SurveyQuery extends TimeWindow {
  /** Services of interest; undefined means all. */
  services?: string[];
  maxPoints: number;
}

export interface LogQuery extends TimeWindow {
  service?: string;
  /** Case-insensitive substring. */
  text?: string;
  level?: 'error' | 'warn' | 'info' | 'debug';
  limit: number;
}

export interface LogPage {
  lines: LogLine[];
  /** True when more lines matched than `limit`. */
  truncated: boolean;
  /** Unreadable lines (not JSON, too long) in the source; absent if none. */
  unreadable?: number;
}

/**
 * With `service` or `operation`, one span of a trace must match everything; without them, duration and status are those
 * of the whole trace, which has failed if one of its spans has.
 */
export interface TraceQuery extends TimeWindow {
  service?: string;
  operation?: string;
  minDurationMs?: number;
  maxDurationMs?: number;
  status?: 'ok' | 'error';
  limit: number;
}

/** What a search says about one trace. */
export interface TraceSummary {
  traceId: string;
  /** The root span; where it is missing, the earliest span. */
  service: string;
  operation: string;
  /** Unix seconds. */
  start: number;
  durationMs: number;
  /** Absent when the source does not say without reading the whole trace. */
  spans?: number;
  errors?: number;
}

export interface TracePage {
  traces: TraceSummary[];
  /** True when more traces matched than `limit`. */
  truncated: boolean;
}

/** Whole traces of a window, spread evenly over it. */
export interface SpanSample {
  spans: Span[];
  /** True when the source holds, or may hold, more traces than these. */
  sampled: boolean;
}

/** A change to the system: a deploy, a flag, a configuration or scaling change. */
export interface Change {
  id: string;
  at: number;
  service?: string;
  kind: string;
  summary: string;
  /** The commit that came with it. */
  commit?: string;
  author?: string;
  url?: string;
}

/** An edge of a graph that is updated as calls are seen. */
export interface LiveEdge extends ServiceEdge {
  /** Failed calls divided by all calls, 0 to 1. */
  errorRatio?: number;
  p95Seconds?: number;
  /** No call was seen for a while: the edge may be gone. */
  stale: boolean;
}

/** The current dependency graph. */
export interface LiveGraph {
  /** When it was last confirmed, unix seconds. */
  asOf: number;
  edges: LiveEdge[];
  /** True when there are more edges than these. */
  truncated: boolean;
}

/**
 * The owner of a source: a team, or the installation if the operator configured it. Every team sees and queries the
 * installation's sources.
 */
export type SourceOwner = 'installation' | 'team';

export interface TelemetrySource {
  readonly id: string;
  readonly owner: SourceOwner;
  readonly kind: SourceKind;
  readonly capabilities: readonly SourceCapability[];
  describe(options: CallOptions): Promise<SourceDescription>;
  services?(options: CallOptions): Promise<ServiceSummary[]>;
  /** Metrics whose name, help, unit or service contains every word of `text`. */
  searchMetrics?(
    query: { text?: string; service?: string; limit: number },
    options: CallOptions,
  ): Promise<MetricDescriptor[]>;
  /** Series of one metric; counters are returned as a rate per second with `statistic: 'rate'`. */
  queryMetric?(query: MetricQuery, options: CallOptions): Promise<MetricSeries[]>;
  /** The per-service series a ranking needs: latency, errors, saturation, availability, traffic. Counters as rates. */
  surveyMetrics?(query: SurveyQuery, options: CallOptions): Promise<MetricSeries[]>;
  promql?(query: { expr: string; maxPoints: number } & TimeWindow, options: CallOptions): Promise<PromqlSeries[]>;
  searchLogs?(query: LogQuery, options: CallOptions): Promise<LogPage>;
  searchTraces?(query: TraceQuery, options: CallOptions): Promise<TracePage>;
  /** All spans of one trace; undefined if the source does not have it. */
  getTrace?(traceId: string, options: CallOptions): Promise<Span[] | undefined>;
  /** At most about `maxSpans` spans, in whole traces. */
  sampleSpans?(query: TimeWindow & { maxSpans: number }, options: CallOptions): Promise<SpanSample>;
  /** At most `maxLines` lines of all services, spread evenly over the window, in order of time. */
  sampleLogs?(query: TimeWindow & { maxLines: number }, options: CallOptions): Promise<LogPage>;
  /** Who calls whom, as observed in the window. */
  dependencies?(window: TimeWindow, options: CallOptions): Promise<ServiceEdge[]>;
  /** Who calls whom now; undefined if nothing observes it. */
  liveGraph?(options: CallOptions): Promise<LiveGraph | undefined>;
  changes?(query: TimeWindow & { service?: string }, options: CallOptions): Promise<Change[]>;
}

export interface PromqlSeries {
  labels: Record<string, string>;
  timestamps: number[];
  values: number[];
}

/** The caller on whose behalf sources are queried. */
export interface SourceCall {
  teamId: string;
  /** Equal for every attempt: if the source supports it, an earlier attempt's answer is reused. */
  toolCallId: string;
  /** The time of the call, the same for every attempt. */
  clock: Clock;
  /** Called when a signal fires: whether the caller no longer wants the answer. By default, it does not. */
  isGivenUp?: () => boolean;
  onWait?: OnWait;
}

/**
 * Called when a call begins to wait for something that should be back soon, such as "satellite shop"; disposed when it
 * goes on. Without it a call does not wait.
 */
export type OnWait = (what: string) => Disposable;

/** The sources that the team of a tool call has at that moment. */
export type LoadSources = (call: SourceCall) => Promise<SourceCatalog>;

/** The sources one team can use. */
export interface SourceCatalog {
  list(): TelemetrySource[];
  /** @throws {SourceError} for an unknown source, listing the existing ones */
  get(id: string): TelemetrySource;
}

/** A source could not answer; `message` says why in words for the model and the operator. */
export class SourceError extends Error {
  override name = 'SourceError';
}
