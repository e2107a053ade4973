import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Severity } from '../../contract.ts';
import { MAX_ALERTS, type OutsideAlert, type Trigger } from '../port.ts';
import { clip, line } from '../text.ts';

/** A value that a tool writes as text or number, or omits; templates turn everything into text. */
export const loose = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();

/** Labels or annotations, with values of any kind. */
export const looseRecord = z.record(z.string(), loose);

const LONGEST_TITLE = 200;
const LONGEST_SUMMARY = 2_000;

/** The parser of one webhook format. */
export interface Parser {
  /** Whether the body is meant to have this format. The first parser that says yes is used. */
  is: (body: Record<string, unknown>) => boolean;
  /** The schema of the format; its output is the trigger. */
  schema: z.ZodType<Trigger>;
}

/** @param read converts a valid body; never throws */
export const parser = <S extends z.ZodType>(
  is: Parser['is'],
  schema: S,
  read: (value: z.output<S>) => Trigger,
): Parser => ({ is, schema: schema.transform(read) });

/** Title and summary within their bounds. A summary that only repeats the title becomes empty. */
export function worded(title: string, summary: string | undefined): { title: string; summary: string } {
  const [bounded, text] = [line(title, LONGEST_TITLE), clip(summary ?? '', LONGEST_SUMMARY)];
  return { title: bounded, summary: text === bounded ? '' : text };
}

/**
 * The alerts of one request as a trigger: one per fingerprint (the last wins), firing ones first, bounded.
 * @param leftOut how many the tool itself dropped
 */
export function alertsTrigger(source: OutsideAlert['source'], alerts: readonly OutsideAlert[], leftOut = 0): Trigger {
  const unique = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const ordered = [
    ...unique.filter(({ status }) => status === 'firing'),
    ...unique.filter(({ status }) => status === 'resolved'),
  ];
  const taken = ordered.slice(0, MAX_ALERTS);
  return { kind: 'alerts', source, alerts: taken, truncated: ordered.length - taken.length + leftOut };
}

/** A longer fingerprint is replaced by its digest. */
const LONGEST_GIVEN = 200;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Identifies an alert across all reports of its tool. Fingerprints of different tools never collide.
 * @param given the tool's own identifier, if any
 * @param identity names and values that distinguish the alert; never texts that change during its life
 */
export function fingerprintOf(source: string, given: string | undefined, identity: Record<string, string>): string {
  const plain = given?.trim();
  if (plain) return `${source}:${plain.length > LONGEST_GIVEN ? digest(plain) : line(plain, LONGEST_GIVEN)}`;
  const pairs = Object.entries(identity).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `${source}:${digest(JSON.stringify([source, pairs]))}`;
}

/** A title without its state: the same when the alert fires and when it resolves. */
export const bareTitle = (title: string): string =>
  title
    .replace(
      /^(\s*\[\s*(firing|alerting|triggered|re-triggered|resolved|recovered|ok|no ?data|warn(ing)?|pending)\b[^\]]*\])+/i,
      '',
    )
    .trim() || title.trim();

const MEANINGS: [RegExp, Severity][] = [
  [
    /^(critical|crit|fatal|emergency|emerg|page|error|err|high|highest|urgent|severe|disaster|major|(p|sev|s)-?[012])$/,
    'critical',
  ],
  [/^(warning|warn|medium|moderate|minor|average|low|(p|sev|s)-?3)$/, 'warning'],
  [/^(info|information|informational|notice|debug|none|ok|success|lowest|trivial|(p|sev|s)-?[45])$/, 'info'],
];

/**
 * Maps the severities of other tools to Casebook's three. P1 and P2 (also sev1, s1 …) are critical, P3 is a warning.
 * @param words in order of preference; the first known one counts
 * @returns `warning` for unknown words
 */
export function severityOf(...words: (string | undefined)[]): Severity {
  for (const word of words) {
    const plain = word?.trim().toLowerCase() ?? '';
    const known = MEANINGS.find(([pattern]) => pattern.test(plain));
    if (known) return known[1];
  }
  return 'warning';
}
