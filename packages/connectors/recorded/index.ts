/** Incidents recorded as plain files, in the format of demo/incidents/README.md. */
import { z } from 'zod';
import { defineConnectorKind, defineOperation, type ObservedEdge, type OperationContext } from '../connector.ts';
import { folderOf, incidentsIn } from './files.ts';
import { searchLogs } from './logs.ts';
import { changes, describeIncident, metrics, queryMetric, services } from './questions.ts';
import { readEdges } from './tables.ts';

const config = z.strictObject({
  /** Each folder in it is an incident. */
  directory: z.string().min(1),
});

const incident = z.string().max(300).describe('Name of the incident, from `incidents`');
const seconds = (what: string) => z.number().describe(`Unix seconds, ${what}`);
const name = z.string().max(300);
const ofIncident = z.strictObject({ incident });

export const recorded = defineConnectorKind({
  kind: 'recorded',
  config,
  create({ directory }, { id, title }) {
    const question = <Parameters extends { incident: string }>(
      name: string,
      description: string,
      parameters: z.ZodType<Parameters>,
      answer: (folder: string, parameters: Parameters, signal: AbortSignal) => Promise<unknown>,
    ) =>
      defineOperation<Parameters>({
        name,
        description: `${title}: ${description}`,
        parameters,
        tool: true,
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
        question('services', 'the services of an incident', ofIncident, (folder, _, signal) =>
          services(folder, signal),
        ),
        question(
          'metrics',
          'the metrics of an incident, with the services that have them',
          ofIncident.extend({
            text: z.string().max(300).optional().describe('Words that name, help, unit or service must have'),
          }),
          (folder, { text }, signal) => metrics(folder, text, signal),
        ),
        question(
          'query_metric',
          'samples of one metric of an incident; a counter as its rate per second',
          ofIncident.extend({
            metric: name,
            service: name.optional(),
            from: seconds('inclusive').default(0),
            to: seconds('exclusive').default(Number.MAX_SAFE_INTEGER),
            max_points: z.number().int().min(1).max(100_000).default(500).describe('Of each series'),
          }),
          queryMetric,
        ),
        question(
          'search_logs',
          'log lines of an incident; of too many, the newest',
          ofIncident.extend({
            service: name.optional(),
            text: z.string().max(1_000).optional().describe('Part of the message, in any case'),
            level: z.string().max(50).optional(),
            from: seconds('inclusive').default(0),
            to: seconds('exclusive').default(Number.MAX_SAFE_INTEGER),
            limit: z.number().int().min(1).max(10_000).default(100),
          }),
          searchLogs,
        ),
        question('changes', 'deploys and other changes of an incident', ofIncident, (folder, _, signal) =>
          changes(folder, signal),
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

/** One that cannot be read is named with what is wrong, and hides no other. */
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
