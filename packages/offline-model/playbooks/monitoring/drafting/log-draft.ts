/** Checks of logs. */
import { name, quote } from '../../investigation/statements.ts';
import type { Subject, Wish } from '../reading/wish.ts';
import { historyFor } from './conditions.ts';
import { periodFor, recorded, type Draft, type DraftContext, type Outcome } from './draft-types.ts';
import { sourceWith } from './telemetry.ts';

const LEAST_WINDOW = 300;
const MOST_WINDOW = 86_400;
const MOST_LINES = 1_000_000;

export function logDraft(
  { telemetry }: DraftContext,
  wish: Wish,
  subject: Extract<Subject, { kind: 'logs' }>,
): Outcome {
  const outcome: Outcome = { drafts: [], calls: [], problems: [] };
  for (const service of wish.services.length > 0 ? wish.services : [undefined]) {
    const source = sourceWith(telemetry, 'logs', service);
    if (!source) {
      const whose = service === undefined ? '' : ` of ${name(service)}`;
      outcome.problems.push(`No source that I can read has logs${whose}.`);
      continue;
    }
    outcome.drafts.push(draftOf(wish, subject, service, source.id, recorded(source)));
  }
  return outcome;
}

function draftOf(
  wish: Wish,
  { pattern, level, isNew, limit }: Extract<Subject, { kind: 'logs' }>,
  service: string | undefined,
  source: string,
  notes: string[],
): Draft {
  // Lines between two runs must not be missed.
  const window = Math.min(
    MOST_WINDOW,
    Math.max(10, limit.within ?? limit.sustained ?? Math.max(LEAST_WINDOW, periodFor(wish.settings))),
  );
  const least = leastLines(limit.threshold);
  const { text, star } = wildcard(pattern);
  const what =
    pattern === undefined
      ? `${isNew ? 'New kinds of ' : ''}${level ?? ''} lines`
      : quote(pattern, 80).replaceAll('`', '"');
  return {
    wish,
    title: `${what.trim()} in the logs${service === undefined ? '' : ` of ${service}`}`,
    subject: {
      type: 'log_pattern',
      source,
      ...(service !== undefined && { service }),
      ...(text !== undefined && { pattern: text }),
      ...(level !== undefined && { level }),
      window_seconds: window,
      condition: isNew
        ? {
            type: 'new_pattern',
            history_seconds: historyFor(window, 86_400),
            ...(least !== undefined && { at_least: least }),
          }
        : { type: 'count', at_least: least ?? 1 },
    },
    parts: [
      service,
      pattern === undefined ? `${isNew ? 'new-' : ''}${level ?? 'lines'}` : pattern.slice(0, 30),
      'logs',
    ],
    notes: [...notes, ...(star ? ['A `*` in the text stands for anything.'] : [])],
  };
}

function wildcard(pattern: string | undefined): { text?: string; star: boolean } {
  return pattern === undefined ? { star: false } : { text: pattern, star: pattern.includes('*') };
}

/** `more than 20` are at least 21. */
function leastLines(threshold: { operator?: string; value: number } | undefined): number | undefined {
  if (!threshold) return undefined;
  const least = threshold.operator === '>' ? Math.floor(threshold.value) + 1 : Math.ceil(threshold.value);
  return Math.min(MOST_LINES, Math.max(1, least));
}
