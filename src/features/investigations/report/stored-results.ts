/** Parses stored tool results as far as a report without a model needs them. */
import { z } from 'zod';
import type { StoredEvidence } from '../../tools/index.ts';

const time = z.string().min(1).max(40);
const name = z.string().min(1);

const ranking = z.looseObject({
  alert: z.looseObject({ service: name, metric: name.optional(), at: time }),
  onset: time.nullable(),
  // Results of earlier versions have none.
  symptom: z.looseObject({ ongoing: z.boolean(), as_of: time }).nullish(),
  considered: z.looseObject({ services: z.number() }),
  causes: z.array(
    z.looseObject({
      rank: z.number(),
      service: name,
      own_score: z.number(),
      reason: z.string(),
      evidence: z.array(
        z.looseObject({
          kind: z.string(),
          statement: z.string(),
          operation: z.string().optional(),
          caller: z.string().optional(),
        }),
      ),
      signals: z.array(
        z.looseObject({
          metric: name,
          statistic: z.string().optional(),
          unit: z.string().optional(),
          baseline_median: z.number().nullable(),
        }),
      ),
    }),
  ),
  confidence: z.number().min(0).max(1),
});

const logs = z.looseObject({
  patterns: z.array(
    z.looseObject({
      pattern: z.string(),
      count: z.number(),
      services: z.array(z.string()),
      level: z.string().optional(),
      first: time,
    }),
  ),
});

const changes = z.looseObject({
  changes: z.array(
    z.looseObject({ id: name, at: time, service: z.string().optional(), kind: z.string(), summary: z.string() }),
  ),
});

const sources = z.looseObject({
  sources: z.array(
    z.looseObject({ alerts: z.array(z.looseObject({ name, service: name, at: time, summary: z.string() })) }),
  ),
});

export type StoredRanking = z.infer<typeof ranking>;

export interface Ranked {
  stored: StoredEvidence;
  ranking: StoredRanking;
}

/** Each returns undefined for another tool's result, or one that is incomplete (an error, a cut, a page). */
const readRanking = reader('rank_root_causes', ranking);
export const readLogs = reader('search_logs', logs);
export const readChanges = reader('recent_changes', changes);
export const readSources = reader('list_sources', sources);

/** The run's last ranking, with the result it was read from. */
export function lastRanking(evidence: readonly StoredEvidence[]): Ranked | undefined {
  for (const stored of evidence.toReversed()) {
    const found = readRanking(stored);
    if (found) return { stored, ranking: found };
  }
  return undefined;
}

function reader<Result>(tool: string, schema: z.ZodType<Result>): (stored: StoredEvidence) => Result | undefined {
  return (stored) => {
    if (stored.tool !== tool) return undefined;
    try {
      return schema.safeParse(JSON.parse(stored.content)).data;
    } catch {
      // Not JSON, so not what we are looking for.
      return undefined;
    }
  };
}
