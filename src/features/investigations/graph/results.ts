/** Reads what stored tool results say about services and their calls; they may hold anything. */
import { z } from 'zod';
import { RECORDED_ID_PREFIX } from '../../sources/index.ts';

/** A result that may say something about services. */
export interface StoredResult {
  toolCallId: string;
  evidence: number;
  tool: string;
  content: string;
}

/** Longer names are dropped. */
const name = z.string().trim().min(1).max(200);
const text = z.string().transform((value) => value.slice(0, 1_000));
const figure = z
  .number()
  .nullish()
  .catch(null)
  .transform((value) => value ?? null);

/** The readable items of a list. */
const some = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((one): z.output<Item>[] => {
        const { success, data } = item.safeParse(one);
        return success ? [data] : [];
      }),
    );

const source = z.string().max(300).catch('');

const ranking = z.object({
  source,
  alert: z.object({ service: name }).nullable().catch(null),
  causes: some(
    z.object({
      rank: z.int().min(1),
      service: name,
      score: z.number(),
      own_score: z.number().catch(0),
      best_callee: z.object({ service: name }).nullish().catch(null),
      signals: some(z.object({ score: z.number() })),
      reason: text.catch(''),
    }),
  ),
});

const dependencies = z.object({
  source,
  service: name,
  direction: z.enum(['downstream', 'upstream', 'impact']).catch('downstream'),
  services: some(z.object({ path: z.array(name).max(100) })),
  edges: some(
    z.object({
      caller: name,
      callee: name,
      calls_per_second: figure,
      error_ratio: figure,
      p95_seconds: figure,
      stale: z.boolean().catch(false),
    }),
  ),
  as_of: z.iso
    .datetime()
    .nullish()
    .catch(null)
    .transform((value) => value ?? null),
  notes: some(text),
  truncated: z.boolean().catch(false),
});

const metric = z.object({
  source,
  metric: text,
  series: some(z.object({ service: name, anomaly: z.object({ score: z.number(), onset: z.string() }) })),
});

const sources = z.object({
  sources: some(z.object({ id: name, alerts: some(z.object({ service: name, name: text, summary: text.catch('') })) })),
});

type Of<Schema extends z.ZodType> = z.output<Schema> & { from: StoredResult };

/** The results of one investigation by kind, in order of their numbers. */
export interface ReadResults {
  rankings: Of<typeof ranking>[];
  dependencies: Of<typeof dependencies>[];
  metrics: Of<typeof metric>[];
  sources: Of<typeof sources>[];
  /** How many could not be read. */
  unreadable: number;
}

/** Tools whose results are read. */
export const GRAPH_TOOLS = ['rank_root_causes', 'service_dependencies', 'query_metric', 'list_sources'];

export function readResults(stored: readonly StoredResult[]): ReadResults {
  const found: ReadResults = { rankings: [], dependencies: [], metrics: [], sources: [], unreadable: 0 };
  for (const from of stored.toSorted((a, b) => a.evidence - b.evidence)) {
    const value = parsed(from.content);
    const read = <Schema extends z.ZodType<object>>(schema: Schema, list: Of<Schema>[]): void => {
      const { success, data } = schema.safeParse(value);
      if (success) list.push({ ...data, from });
      else found.unreadable += 1;
    };
    if (from.tool === 'rank_root_causes') read(ranking, found.rankings);
    else if (from.tool === 'service_dependencies') read(dependencies, found.dependencies);
    else if (from.tool === 'query_metric') read(metric, found.metrics);
    else if (from.tool === 'list_sources') read(sources, found.sources);
  }
  return found;
}

/**
 * Each recorded incident is a system of its own, often with services of the same names: if one of them was ranked, or
 * queried last, only what was learned about that one counts.
 */
export function fromOneSystem(read: ReadResults): ReadResults {
  const asked = [...read.dependencies, ...read.metrics].sort((a, b) => a.from.evidence - b.from.evidence);
  const main = (read.rankings.at(-1) ?? asked.at(-1))?.source;
  if (!main?.startsWith(RECORDED_ID_PREFIX)) return read;
  const isOfIt = ({ source: one }: { source: string }): boolean => one === main;
  return {
    ...read,
    rankings: read.rankings.filter(isOfIt),
    dependencies: read.dependencies.filter(isOfIt),
    metrics: read.metrics.filter(isOfIt),
  };
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // Not JSON, so not what we are looking for.
    return undefined;
  }
}
