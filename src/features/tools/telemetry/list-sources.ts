import { z } from 'zod';
import { SourceError, type SourceDescription, type TelemetrySource } from '../../sources/port.ts';
import { jsonOutput, defineTool, type ToolContext } from '../tool.ts';
import type { ListSourcesResult, ListServicesResult } from '../results.ts';
import { count } from '../text.ts';
import { toIso, toIsoWindow } from '../time.ts';
import { limitField, sourceField, defineSourceTool } from './source-tool.ts';

const MAX_SOURCES = 100;
const MAX_ALERTS = 20;

const NONE =
  'The team has no telemetry source: nothing can be looked at, and no cause can be found. Say so, and that one is connected ' +
  'by setting PROMETHEUS_URL or LOKI_URL for the installation, or by enrolling a satellite (page Satellites of the web app).';

type ListedSource = ListSourcesResult['sources'][number];

/** `list_sources`: the sources, what they cover, and which alerts fired. */
export const listSources = defineTool({
  name: 'list_sources',
  description:
    'Lists the telemetry sources you can query, with what each offers (capabilities), the period it covers, its healthy baseline and the alerts that fired. Call this first: every other tool needs the id of a source.',
  input: z.strictObject({}),
  summarize: () => 'List the telemetry sources',
  async run(_input, context) {
    const all = context.sources.list();
    const described = await Promise.all(all.slice(0, MAX_SOURCES).map((source) => describe(source, context)));
    const sources = described.map((source) => ({ ...source, alerts: source.alerts.slice(0, MAX_ALERTS) }));
    const truncated = all.length > sources.length || described.some(({ alerts }) => alerts.length > MAX_ALERTS);
    const result: ListSourcesResult = {
      sources,
      truncated,
      now: toIso(context.clock.now().getTime() / 1000),
      ...(all.length === 0 && { note: NONE }),
    };
    const alerts = sources.reduce((sum, source) => sum + source.alerts.length, 0);
    const lost = sources.filter(({ error }) => error !== undefined).length;
    const answer = all.length === 0 ? 'nothing' : lost === sources.length ? 'unavailable' : 'data';
    return { ...jsonOutput(result, digestOf(all.length, alerts, lost)), answer };
  },
});

function digestOf(sources: number, alerts: number, lost: number): string {
  const found = `${count(sources, 'source')}, ${count(alerts, 'alert')}`;
  return lost === 0 ? found : `${found}; ${lost} did not answer`;
}

async function describe(source: TelemetrySource, { signal }: ToolContext): Promise<ListedSource> {
  try {
    return listed(await source.describe({ signal }));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    const { id, kind } = source;
    return { id, kind, title: id, capabilities: [...source.capabilities], alerts: [], error: error.message };
  }
}

function listed({ window, baseline, alerts, ...rest }: SourceDescription): ListedSource {
  return {
    ...rest,
    ...(window && { window: toIsoWindow(window) }),
    ...(baseline && { baseline: toIsoWindow(baseline) }),
    alerts: alerts.map((alert) => ({ ...alert, at: toIso(alert.at) })),
  };
}

/** `list_services`: the services a source knows. */
export const listServices = defineSourceTool({
  name: 'list_services',
  description: 'Lists the services a source knows, with the number of metrics of each.',
  input: z.strictObject({ source: sourceField, limit: limitField(200, 1_000, 'services') }),
  needs: { capability: 'services', method: 'services' },
  summarize: ({ source }) => `List the services of ${source}`,
  async answer({ source: id, limit }, source, { signal }) {
    const services = await source.services({ signal });
    const result: ListServicesResult = {
      source: id,
      services: services.slice(0, limit),
      total: services.length,
      truncated: services.length > limit,
    };
    return { result, digest: count(services.length, 'service') };
  },
});
