import type { SessionSummary } from '../monitoring/queries.ts';

export interface ObservedValue {
  sessionId: string;
  /** ISO 8601. */
  at: string;
  value: number;
  expected: number | null;
  /** Of both. */
  unit: string | null;
  isFinding: boolean;
}

/** What sessions measured of one subject, in order, skipping those without a measurement. */
export const valuesOf = (sessions: readonly SessionSummary[], subject: string): ObservedValue[] =>
  sessions.flatMap(({ id, started_at: at, observations }) => {
    const seen = observations.find((observation) => observation.subject === subject);
    if (seen === undefined || seen.value === null) return [];
    return [
      { sessionId: id, at, value: seen.value, expected: seen.expected, unit: seen.unit, isFinding: seen.is_finding },
    ];
  });
