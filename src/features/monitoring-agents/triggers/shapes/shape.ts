import { z } from 'zod';
import { MOST_ALERTS, type OutsideAlert, type Trigger } from '../port.ts';
import { clip, line } from '../text.ts';

/** A value that a tool writes as text, number or not at all; templates make texts of everything. */
export const loose = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional();

/** Labels or annotations. What their values mean is judged later. */
export const looseRecord = z.record(z.string(), loose);

export const LONGEST_TITLE = 200;
export const LONGEST_SUMMARY = 2_000;

/** One form of a request. */
export interface Shape {
  /** Whether the body was meant to be of this form. Forms are asked in order; the first that says yes has it. */
  is: (body: Record<string, unknown>) => boolean;
  /** What a body of this form must be, and what it says. */
  schema: z.ZodType<Trigger>;
}

/** @param read what a valid body says: never throws */
export const shape = <S extends z.ZodType>(
  is: Shape['is'],
  schema: S,
  read: (value: z.output<S>) => Trigger,
): Shape => ({ is, schema: schema.transform(read) });

/** Title and summary within their bounds. The summary is left empty where it would only repeat the title. */
export function worded(title: string, summary: string | undefined): { title: string; summary: string } {
  const [bounded, text] = [line(title, LONGEST_TITLE), clip(summary ?? '', LONGEST_SUMMARY)];
  return { title: bounded, summary: text === bounded ? '' : text };
}

/**
 * Alerts of one request as a trigger: each fingerprint once (the last word counts), firing ones first, bounded.
 * @param leftOut how many the tool itself left out
 */
export function alertsTrigger(source: OutsideAlert['source'], alerts: readonly OutsideAlert[], leftOut = 0): Trigger {
  const unique = [...new Map(alerts.map((alert) => [alert.fingerprint, alert])).values()];
  const ordered = [
    ...unique.filter(({ status }) => status === 'firing'),
    ...unique.filter(({ status }) => status === 'resolved'),
  ];
  const taken = ordered.slice(0, MOST_ALERTS);
  return { kind: 'alerts', source, alerts: taken, truncated: ordered.length - taken.length + leftOut };
}
