import { parsePlan, type PlanProblem } from '../../../../src/features/monitoring-agents/plan/parse.ts';
import type { Check, Plan } from '../../../../src/features/monitoring-agents/plan/schema.ts';

/** A valid check as somebody writes it. */
export const written = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: 'latency',
  title: 'Latency of checkout',
  check: {
    type: 'metric',
    source: 'prometheus',
    metric: 'latency',
    condition: { type: 'threshold', operator: '>', value: 0.5 },
  },
  schedule: { every_seconds: 60 },
  ...changes,
});

/** The plan of valid checks. */
export function planOf(...checks: Record<string, unknown>[]): Plan {
  const parsed = parsePlan({ summary: 'Watches the shop.', checks });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.plan;
}

export const checkOf = (changes: Record<string, unknown> = {}): Check => planOf(written(changes)).checks[0]!;

/** What is wrong with something as a plan; nothing when it is one. */
export function problemsOf(plan: unknown): PlanProblem[] {
  const parsed = parsePlan(plan);
  return 'problems' in parsed ? parsed.problems : [];
}

/** "path: message" of each problem. */
export const lines = (problems: readonly { path: (string | number)[]; message: string }[]): string[] =>
  problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
