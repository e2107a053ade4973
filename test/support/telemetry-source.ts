/** A small telemetry source that holds everything in memory: an incident of three services, or whatever a test gives. */
import {
  SourceError,
  type Change,
  type LoadSources,
  type LogLine,
  type MetricSeries,
  type PromqlSeries,
  type ServiceEdge,
  type Span,
  type SourceCapability,
  type SourceCatalog,
  type SourceDescription,
  type TelemetrySource,
  type TimeWindow,
} from '../../src/features/sources/port.ts';

export interface MemoryTelemetry {
  id?: string;
  series?: MetricSeries[];
  edges?: ServiceEdge[];
  lines?: LogLine[];
  spans?: Span[];
  changes?: Change[];
  promql?: (expr: string, window: TimeWindow) => PromqlSeries[];
  description?: Partial<SourceDescription>;
}

const inside = ({ from, to }: TimeWindow, at: number): boolean => at >= from && at < to;

/** The sources of a team that has connected one. */
export const loadsOneSource: LoadSources = async () => catalogOf(memorySource({}));

/** A {@link TelemetrySource} over what it is given; it offers what is there and nothing else. */
export function memorySource(telemetry: MemoryTelemetry): TelemetrySource {
  const { id = 'memory', series, edges, lines, spans, changes, promql } = telemetry;
  const capabilities: SourceCapability[] = ['services', 'alerts'];
  if (series) capabilities.push('metrics');
  if (edges) capabilities.push('dependencies');
  if (lines) capabilities.push('logs');
  if (spans) capabilities.push('traces');
  if (changes) capabilities.push('changes');
  if (promql) capabilities.push('promql');
  const cut = (one: MetricSeries, window: TimeWindow): MetricSeries => {
    const kept = one.timestamps.map((at, index) => [at, one.values[index] ?? Number.NaN] as const);
    const samples = kept.filter(([at]) => inside(window, at));
    return { ...one, timestamps: samples.map(([at]) => at), values: samples.map(([, value]) => value) };
  };
  const seriesIn = (window: TimeWindow, keep: (one: MetricSeries) => boolean): MetricSeries[] =>
    (series ?? [])
      .filter(keep)
      .map((one) => cut(one, window))
      .filter((one) => one.timestamps.length > 0);

  const source: TelemetrySource = {
    owner: 'installation',
    id,
    kind: telemetry.description?.kind ?? 'recorded-incident',
    capabilities,
    describe: async () => ({
      id,
      kind: 'recorded-incident',
      title: 'In memory',
      capabilities,
      alerts: [],
      ...telemetry.description,
    }),
    services: async () => {
      const names = new Set([
        ...(series ?? []).map(({ service }) => service),
        ...(edges ?? []).flatMap(({ caller, callee }) => [caller, callee]),
      ]);
      return [...names]
        .sort()
        .map((name) => ({ name, metrics: (series ?? []).filter(({ service }) => service === name).length }));
    },
  };
  if (series) {
    source.searchMetrics = async ({ text = '', service, limit }) => {
      const matching = series.filter(
        (one) => one.metric.includes(text) && (service === undefined || one.service === service),
      );
      return [...new Set(matching.map(({ metric }) => metric))].slice(0, limit).map((metric) => {
        const services = matching.filter((one) => one.metric === metric).map((one) => one.service);
        return { metric, services, serviceCount: services.length, statistics: [], type: 'gauge' };
      });
    };
    source.queryMetric = async ({ metric, service, statistic, ...window }) => {
      if (!series.some((one) => one.metric === metric)) throw new SourceError(`there is no metric "${metric}"`);
      return seriesIn(
        window,
        (one) =>
          one.metric === metric &&
          (service === undefined || one.service === service) &&
          (statistic === undefined || one.statistic === statistic),
      );
    };
    source.surveyMetrics = async (window) => seriesIn(window, () => true);
  }
  if (edges) source.dependencies = async () => edges;
  if (changes) {
    source.changes = async ({ service, ...window }) =>
      changes.filter((one) => inside(window, one.at) && (service === undefined || one.service === service));
  }
  if (promql) source.promql = async ({ expr, ...window }) => promql(expr, window);
  if (lines) {
    source.searchLogs = async ({ service, text, level, limit, ...window }) => {
      const matching = lines.filter(
        (line) =>
          inside(window, line.at) &&
          (service === undefined || line.service === service) &&
          (level === undefined || line.level === level) &&
          (text === undefined || line.message.toLowerCase().includes(text.toLowerCase())),
      );
      return { lines: matching.slice(0, limit), truncated: matching.length > limit };
    };
  }
  if (spans) {
    const traces = [...Map.groupBy(spans, ({ traceId }) => traceId).values()];
    const startOf = (trace: Span[]) => Math.min(...trace.map((span) => span.start));
    const within = (window: TimeWindow) => traces.filter((trace) => inside(window, startOf(trace)));
    source.getTrace = async (traceId) => traces.find((trace) => trace[0]!.traceId === traceId);
    source.sampleSpans = async ({ maxSpans, ...window }) => {
      const all = within(window).flat();
      return { spans: all.slice(0, maxSpans), sampled: all.length > maxSpans };
    };
    source.searchTraces = async ({ service, limit, ...window }) => {
      const matching = within(window).filter((trace) =>
        trace.some((span) => service === undefined || span.service === service),
      );
      const found = matching.slice(-limit).map((trace) => {
        const { traceId, service: name, operation, start, durationMs } = trace[0]!;
        return { traceId, service: name, operation, start, durationMs, spans: trace.length };
      });
      return { traces: found, truncated: matching.length > limit };
    };
  }
  return source;
}

/** A catalog of the given sources. */
export function catalogOf(...sources: TelemetrySource[]): SourceCatalog {
  return {
    list: () => sources,
    get(id) {
      const found = sources.find((source) => source.id === id);
      if (found) return found;
      throw new SourceError(`there is no source "${id}"; the sources are: ${sources.map((one) => one.id).join(', ')}`);
    },
  };
}

/** Time of the alert of {@link sampleIncident}, unix seconds: 2026-03-01T12:00:00Z. */
export const ALERT_AT = 1_772_366_400;

/**
 * A shop whose database pool fills up at {@link ALERT_AT} minus two minutes: `web` calls `checkout` calls `db`; the
 * alert is about `web`, which is slow because `db` is. One sample a minute from two hours before the alert on.
 */
export function sampleIncident(): TelemetrySource {
  const onset = ALERT_AT - 120;
  const timestamps = Array.from({ length: 150 }, (_, minute) => ALERT_AT - 7_200 + minute * 60);
  const series = (service: string, metric: string, healthy: number, sick: number, unit: string): MetricSeries => ({
    service,
    metric,
    unit,
    statistic: 'p95',
    timestamps,
    // A small regular ripple, so that the baseline has a spread.
    values: timestamps.map((at, index) => (at < onset ? healthy : sick) * (1 + 0.02 * Math.sin(index))),
  });
  const lines = timestamps.flatMap((at, index): LogLine[] => [
    { at, service: 'web', level: 'info', message: `GET /checkout/${index} took ${index % 7} ms` },
    ...(at >= onset
      ? [{ at: at + 1, service: 'db', level: 'error', message: `pool exhausted: ${index} clients waiting` }]
      : []),
  ]);
  return memorySource({
    id: 'shop',
    series: [
      series('web', 'latency_seconds', 0.2, 1.6, 's'),
      series('checkout', 'latency_seconds', 0.1, 1.2, 's'),
      series('db', 'latency_seconds', 0.01, 0.9, 's'),
      series('db', 'pool_connections_used', 10, 100, 'connections'),
      series('mail', 'latency_seconds', 0.3, 0.3, 's'),
    ],
    edges: [
      { caller: 'web', callee: 'checkout', callsPerSecond: 20 },
      { caller: 'checkout', callee: 'db', callsPerSecond: 40 },
      { caller: 'checkout', callee: 'mail', callsPerSecond: 1 },
    ],
    lines,
    changes: [
      { id: 'c1', at: ALERT_AT - 900, service: 'mail', kind: 'deploy', summary: 'mail 1.2.0' },
      { id: 'c2', at: ALERT_AT - 180, service: 'db', kind: 'config', summary: 'max_connections 200 -> 100' },
      { id: 'c3', at: ALERT_AT - 10 * 86_400, service: 'web', kind: 'deploy', summary: 'web 9' },
    ],
    description: {
      window: { from: ALERT_AT - 7_200, to: ALERT_AT + 1_800 },
      alerts: [
        { name: 'WebSlow', service: 'web', metric: 'latency_seconds', at: ALERT_AT, summary: 'p95 of web above 1 s' },
      ],
    },
  });
}
