import { z } from 'zod';
import { MAX_ALERTS, type OutsideAlert, type Trigger } from '../port.ts';
import { clip, line } from '../text.ts';

/** A value that a tool writes as text or number, or omits; templates turn everything into text. */
export const loose = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();

/** Labels or annotations, with values of any kind. */
export const looseRecord = z.record(z.string(), loose);

export const LONGEST_TITLE = 200;
export const LONGEST_SUMMARY = 2_000;

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
