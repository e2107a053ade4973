import { z } from 'zod';
import { QueryError, type ObservedEdge, type OperationContext } from '../../connector.ts';
import { joinEdges, type EdgeSample } from './join.ts';
import type { EdgeQueries } from './promql.ts';
import { edgeQueries } from './queries.ts';

/**
 * Maximum size of one answer. An edge takes some 100 bytes, so this is room for several times the edges of a full
 * graph.
 */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const vector = z.object({
  resultType: z.literal('vector'),
  result: z.array(
    // Samples of native histograms have no value.
    z.object({ metric: z.record(z.string(), z.string()), value: z.tuple([z.number(), z.string()]).optional() }),
  ),
});

interface EdgeReading {
  /** Window of rates; must cover at least two scrapes. */
  windowSeconds: number;
  /** Runs an instant query. */
  query: (promql: string, context: OperationContext) => Promise<unknown>;
  signal: AbortSignal;
  /** Latencies cost the most and matter least: without them, edges are still returned. */
  onOmitted: (what: string, error: QueryError) => void;
}

/**
 * The calls between services, from each family of metrics separately. An absent family costs one query with an empty
 * result.
 * @throws {QueryError} when Prometheus does not say who calls whom
 */
export async function readEdges(reading: EdgeReading): Promise<ObservedEdge[]> {
  const families = await Promise.all(edgeQueries(reading.windowSeconds).map((queries) => readFamily(queries, reading)));
  return families.flat();
}

async function readFamily(queries: EdgeQueries, reading: EdgeReading): Promise<ObservedEdge[]> {
  const { query, signal, onOmitted } = reading;
  const read = async (promql: string) => toSamples(await query(promql, { signal, maxBytes: MAX_ANSWER_BYTES }));
  const calls = await read(queries.calls);
  if (calls.length === 0) return [];
  const readLatency = async (promql: string): Promise<EdgeSample[]> => {
    try {
      return await read(promql);
    } catch (error) {
      if (!(error instanceof QueryError) || signal.aborted) throw error;
      onOmitted(`the latencies of ${queries.source}`, error);
      return [];
    }
  };
  const failures = await read(queries.failures);
  const p50 = await readLatency(queries.p50);
  const p95 = await readLatency(queries.p95);
  return joinEdges(queries.source, { calls, failures, p50, p95 });
}

function toSamples(data: unknown): EdgeSample[] {
  const parsed = vector.safeParse(data);
  if (!parsed.success) throw new QueryError('failed', 'Prometheus answered a query for edges in an unknown form');
  return parsed.data.result.flatMap(({ metric, value }) =>
    value === undefined ? [] : [{ labels: metric, value: Number(value[1]) }],
  );
}
