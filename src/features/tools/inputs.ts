/** Input fields shared by several tools, worded once. */
import { z } from 'zod';
import { toUnixSeconds } from './time.ts';

export const sourceField = z.string().trim().min(1).max(200).describe('The id of a source, from list_sources.');

/** Unix seconds, from ISO 8601 or unix seconds. */
export const timeField = z.union([z.string().max(60), z.number()]).transform((value, context) => {
  const parsed = toUnixSeconds(value);
  if (typeof parsed === 'number') return parsed;
  context.addIssue({ code: 'custom', message: parsed.problem, input: value });
  return z.NEVER;
});

export const serviceField = z.string().trim().min(1).max(200);

/** The window a tool looks at; both ends are optional. */
export const windowFields = {
  from: timeField
    .optional()
    .describe(
      'Start of the window, ISO 8601 or unix seconds. Default: 30 minutes before the alert, else what the source covers, else an hour ago.',
    ),
  to: timeField
    .optional()
    .describe('End of the window (exclusive), ISO 8601 or unix seconds. Default: 30 minutes after the alert, or now.'),
};

/** The healthy period to compare with. */
export const baselineFields = {
  baseline_from: timeField
    .optional()
    .describe(
      "Start of a healthy period to compare with. Default: the source's own baseline, else the time before the window.",
    ),
  baseline_to: timeField.optional().describe('End (exclusive) of that healthy period.'),
};

/** A bound on how much is returned. */
export function limitField(fallback: number, max: number, what: string) {
  return z.number().int().min(1).max(max).default(fallback).describe(`Most ${what} to return, ${fallback} by default.`);
}
