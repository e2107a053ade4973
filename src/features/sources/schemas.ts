/** Telemetry sources in the API. */
import { z } from 'zod';
import type { SourceCapability, SourceKind } from './port.ts';

const time = z.iso.datetime();
const KINDS = [
  'recorded-incident',
  'prometheus',
  'loki',
  'jaeger',
  'tempo',
  'dependency-graph',
  'postgresql',
  'clickhouse',
  'newrelic',
  'cloudflare',
  'googlecloud',
  'azuremonitor',
  'mcp',
  'github',
  'gitlab',
  'gitea',
] as const satisfies SourceKind[];
const CAPABILITIES = [
  'services',
  'metrics',
  'promql',
  'logs',
  'traces',
  'dependencies',
  'changes',
  'alerts',
  'sql',
  'tools',
] as const satisfies SourceCapability[];

/** Some ids contain a slash: `satellite:prod/prometheus`, in a path `satellite:prod%2Fprometheus`. */
export const SourceParams = z.object({
  source_id: z.string().min(1).max(300).describe('As in the list of sources, percent-encoded.'),
});

const period = z.object({ from: time, to: time }).nullable();

const Source = z
  .object({
    id: z.string().describe("The source's name in questions, tools and plans."),
    title: z.string(),
    owner: z
      .enum(['installation', 'team'])
      .describe('The owner: `installation` means that the operator configured it for every team.'),
    kind: z.enum(KINDS),
    capabilities: z.array(z.enum(CAPABILITIES)).describe('The queries it supports.'),
    satellite: z.string().nullable().describe('The satellite it is behind; null for a source of this installation.'),
    window: period.describe('The period it covers, if bounded.'),
    baseline: period.describe('A period known to be healthy.'),
    alerts: z.array(
      z.object({
        name: z.string(),
        service: z.string(),
        metric: z.string().nullable(),
        at: time,
        summary: z.string(),
      }),
    ),
    error: z.string().nullable().describe('Why it could not describe itself; it may answer later.'),
  })
  .meta({ id: 'TelemetrySource' });

export const SourceListResponse = z
  .object({
    sources: z.array(Source),
    truncated: z.boolean().describe('There are more sources than these, or a source has more alerts.'),
  })
  .meta({ id: 'SourceListResponse' });

export const SourceServicesQuery = z.object({
  text: z.string().max(200).optional().describe('Only services whose name or description contains it, ignoring case.'),
  limit: z.int().min(1).max(1_000).default(500),
});

export const SourceServicesResponse = z
  .object({
    source: z.string(),
    services: z.array(
      z.object({
        name: z.string(),
        description: z.string().nullable(),
        metrics: z.int().describe('Number of metrics.'),
      }),
    ),
    total: z.int().describe('That match.'),
    truncated: z.boolean(),
  })
  .meta({ id: 'SourceServicesResponse' });

const span = {
  from: time.optional().describe("By default the start of the source's own period, or a while ago."),
  to: time.optional().describe("By default the end of the source's own period, or now."),
};

export const SourceDependenciesQuery = z.object(span);

export const SourceDependenciesResponse = z
  .object({
    source: z.string(),
    from: time,
    to: time,
    calls: z.array(z.object({ caller: z.string(), callee: z.string(), calls_per_second: z.number().nullable() })),
    truncated: z.boolean(),
  })
  .meta({ id: 'SourceDependenciesResponse' });

export const SourceChangesQuery = z.object({
  ...span,
  service: z.string().min(1).max(300).optional().describe('Only changes of this service, and of none.'),
});

export const SourceChangesResponse = z
  .object({
    source: z.string(),
    from: time,
    to: time,
    changes: z.array(
      z.object({
        id: z.string(),
        at: time,
        service: z.string().nullable(),
        kind: z.string(),
        summary: z.string(),
        author: z.string().nullable(),
        url: z.string().nullable(),
      }),
    ),
    truncated: z.boolean(),
  })
  .meta({ id: 'SourceChangesResponse' });

export const SourceMetricsQuery = z.object({
  text: z.string().max(200).optional().describe('Words that must all occur in name, help, unit or service.'),
  service: z.string().min(1).max(300).optional().describe('Only metrics of this service.'),
  limit: z.int().min(1).max(200).default(50),
});

export const SourceMetricsResponse = z
  .object({
    source: z.string(),
    metrics: z.array(
      z.object({
        metric: z.string(),
        services: z.array(z.string()).describe('Services that have it, at most 20.'),
        service_count: z.int(),
        statistics: z.array(z.string()),
        unit: z.string().nullable(),
        type: z.enum(['counter', 'gauge', 'histogram', 'summary', 'unknown']),
        help: z.string().nullable(),
      }),
    ),
    truncated: z.boolean(),
  })
  .meta({ id: 'SourceMetricsResponse' });
