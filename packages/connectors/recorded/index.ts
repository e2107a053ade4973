/** Incidents recorded as plain files, in the format of demo/incidents/README.md. */
import { z } from 'zod';
import {
  defineConnectorKind,
  defineOperation,
  QueryError,
  type ObservedEdge,
  type OperationContext,
} from '../connector.ts';
import { readEdgesCsv, type RecordedEdge } from './csv.ts';
import { MAX_SAMPLED_SPANS, spanFilter } from '../shared/traces/index.ts';
import { folderOf, incidentsIn, readIncidentJson } from './files.ts';
import { sampleLogFile, searchLogFile } from './logs.ts';
import { changesFile, incidentFile, servicesFile } from './schema.ts';
import {
  createSeriesLoader,
  presentSeries,
  queryMetric,
  readMetadata,
  searchMetrics,
  type LoadSeries,
} from './series.ts';
import { createSpanReader } from './spans.ts';

const config = z.strictObject({
  /** Each folder in it is an incident. */
  directory: z.string().min(1),
});

const incident = z.string().max(300).describe('Name of the incident, from `incidents`');
const seconds = (what: string) => z.number().describe(`Unix seconds, ${what}`);
const name = z.string().max(300);
const ofIncident = z.strictObject({ incident });
const window = {
  from: seconds('inclusive').default(0),
  to: seconds('exclusive').default(Number.MAX_SAFE_INTEGER),
};
const ofSeries = {
  ...window,
  max_points: z.number().int().min(1).max(100_000).default(500).describe('Per series; more are averaged'),
};

export const recorded = defineConnectorKind({
  kind: 'recorded',
  config,
  create({ directory }, { id, title }) {
    const load = createSeriesLoader();
    const spans = createSpanReader();
    const question = <Parameters extends { incident: string }>(
      name: string,
      description: string,
      parameters: z.ZodType<Parameters>,
      answer: (folder: string, parameters: Parameters, signal: AbortSignal) => Promise<unknown>,
      tool = true,
    ) =>
      defineOperation<Parameters>({
        name,
        description: `${title}: ${description}`,
        parameters,
        tool,
        run: async (asked, { signal }) => await answer(await folderOf(directory, asked.incident), asked, signal),
      });

    return {
      id,
      kind: 'recorded',
      title,
      operations: [
        defineOperation({
          name: 'incidents',
          description: `${title}: the recorded incidents with their titles, alerts and windows (unix seconds)`,
          parameters: z.strictObject({}),
          tool: true,
          run: (_parameters, context) => listIncidents(directory, context),
        }),
        question(
          'incident',
          'the title, alerts and windows of an incident',
          ofIncident,
          (folder, _, signal) => describeIncident(folder, signal),
          false,
        ),
        question('services', 'the services of an incident', ofIncident, (folder, _, signal) =>
          services(folder, load, signal),
        ),
        question(
          'metrics',
          'the metrics of an incident, with the services that have them',
          ofIncident.extend({
            text: z.string().max(10_000).optional().describe('Words that the name, help, unit or service must contain'),
            service: name.optional(),
            limit: z.number().int().min(0).max(100_000).default(1_000),
          }),
          async (folder, asked, signal) =>
            searchMetrics(await load(folder, signal), await readMetadata(folder, signal), asked),
        ),
        question(
          'query_metric',
          'samples of one metric of an incident; counters as rates per second',
          ofIncident.extend({ metric: name, service: name.optional(), statistic: name.optional(), ...ofSeries }),
          async (folder, asked, signal) =>
            queryMetric(await load(folder, signal), await readMetadata(folder, signal), asked),
        ),
        question(
          'survey_metrics',
          'samples of every metric of an incident, or of some services',
          ofIncident.extend({ services: z.array(name).max(10_000).optional(), ...ofSeries }),
          async (folder, asked, signal) => {
            const about = await readMetadata(folder, signal);
            const wanted = asked.services && new Set(asked.services);
            return (await load(folder, signal))
              .filter(({ service }) => !wanted || wanted.has(service))
              .map((series) => presentSeries(series, about, asked))
              .filter(({ timestamps }) => timestamps.length > 0);
          },
          false,
        ),
        question(
          'search_logs',
          'log lines of an incident; the newest if there are too many',
          ofIncident.extend({
            service: name.optional(),
            text: z.string().max(10_000).optional().describe('Case-insensitive part of the message'),
            level: z.string().max(50).optional(),
            ...window,
            limit: z.number().int().min(1).max(100_000).default(100),
          }),
          (folder, asked, signal) => searchLogFile(folder, 'logs.jsonl', asked, signal),
        ),
        question(
          'search_traces',
          'traces of an incident; the newest if there are too many',
          ofIncident.extend({ ...spanFilter, ...window, limit: z.number().int().min(1).max(10_000).default(20) }),
          (folder, asked, signal) => spans.search(folder, asked, signal),
        ),
        question(
          'trace_spans',
          'all spans of one trace of an incident; null if there is no such trace',
          ofIncident.extend({ trace_id: name }),
          (folder, asked, signal) => spans.trace(folder, asked.trace_id, signal),
        ),
        question(
          'sample_logs',
          'log lines of all services of an incident, spread evenly over a window',
          ofIncident.extend({ ...window, limit: z.number().int().min(1).max(500_000) }),
          (folder, asked, signal) => sampleLogFile(folder, 'logs.jsonl', asked, signal),
          false,
        ),
        question(
          'sample_spans',
          'a sample of the whole traces of an incident',
          ofIncident.extend({ ...window, max_spans: z.number().int().min(1).max(MAX_SAMPLED_SPANS) }),
          (folder, asked, signal) => spans.sample(folder, asked, signal),
          false,
        ),
        question(
          'changes',
          'deploys and other changes of an incident, in chronological order',
          ofIncident.extend({ service: name.optional(), ...window }),
          async (folder, { service, from, to }, signal) =>
            ((await readIncidentJson(folder, 'changes.json', changesFile, signal)) ?? [])
              .filter(({ at }) => at >= from && at < to)
              .filter((change) => service === undefined || change.service === service)
              .sort((a, b) => a.at - b.at),
        ),
        question('dependencies', 'who calls whom in an incident', ofIncident, (folder, _, signal) =>
          readEdges(folder, signal),
        ),
      ],
      async check() {
        await incidentsIn(directory);
      },
      async edges(_windowSeconds, signal): Promise<ObservedEdge[]> {
        const edges = new Map<string, ObservedEdge>();
        for (const name of await incidentsIn(directory)) {
          for (const edge of await readEdges(await folderOf(directory, name), signal))
            edges.set(JSON.stringify([edge.caller, edge.callee]), { ...edge, source: 'recorded' });
        }
        return [...edges.values()];
      },
      async close() {},
    };
  },
});

/** An unreadable incident is listed with its problem and hides no other. */
async function listIncidents(directory: string, { signal }: OperationContext): Promise<unknown[]> {
  const listed: unknown[] = [];
  for (const incident of await incidentsIn(directory)) {
    signal.throwIfAborted();
    try {
      listed.push({ incident, ...(await describeIncident(await folderOf(directory, incident), signal)) });
    } catch (error) {
      if (signal.aborted) throw error;
      listed.push({ incident, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  return listed;
}

async function describeIncident(folder: string, signal: AbortSignal): Promise<z.output<typeof incidentFile>> {
  const incident = await readIncidentJson(folder, 'incident.json', incidentFile, signal);
  if (!incident) throw new QueryError('failed', 'incident.json is missing');
  return incident;
}

const readEdges = (folder: string, signal: AbortSignal): Promise<RecordedEdge[]> =>
  readEdgesCsv(folder, 'edges.csv', signal);

/** Every service in any of the files. */
async function services(folder: string, load: LoadSeries, signal: AbortSignal) {
  const found = new Map<string, { name: string; description?: string; metrics: number }>();
  const entry = (name: string) => {
    const known = found.get(name) ?? { name, metrics: 0 };
    found.set(name, known);
    return known;
  };
  for (const { name, description } of (await readIncidentJson(folder, 'services.json', servicesFile, signal)) ?? [])
    entry(name).description = description;
  for (const { caller, callee } of await readEdges(folder, signal)) [caller, callee].forEach(entry);
  const pairs = new Map(
    (await load(folder, signal)).map(({ service, metric }) => [JSON.stringify([service, metric]), service]),
  );
  for (const service of pairs.values()) entry(service).metrics++;
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
