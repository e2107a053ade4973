/** Recognises which tool sent a request, and parses it. Pure. */
import { z } from 'zod';
import type { Trigger } from './port.ts';
import { alertmanagerParser } from './parsers/alertmanager.ts';
import { alertParser, checkNowParser, deployParser } from './parsers/casebook.ts';
import { datadogParser } from './parsers/datadog.ts';
import { genericParser } from './parsers/generic.ts';
import { grafanaParser } from './parsers/grafana.ts';
import { pagerDutyIncidentParser, pagerDutyOtherParser } from './parsers/pagerduty.ts';
import type { Parser } from './parsers/parser.ts';
import { isRecord } from './text.ts';

/** The first parser that recognises a body parses it; the last one accepts any other. */
const PARSERS: readonly Parser[] = [
  alertParser,
  deployParser,
  checkNowParser,
  pagerDutyIncidentParser,
  pagerDutyOtherParser,
  grafanaParser,
  alertmanagerParser,
  datadogParser,
  genericParser,
];

/**
 * A body from any tool; the schema's output is the parsed trigger. Every other parser fails as a whole, so that only
 * the recognised parser's issues are reported.
 */
export const MonitorRequest = z
  .union(
    PARSERS.map((parser) =>
      z.preprocess((body, context) => {
        if (isRecord(body) && PARSERS.find(({ is }) => is(body)) === parser) return body;
        context.issues.push({ code: 'invalid_type', expected: 'object', input: body });
        return z.NEVER;
      }, parser.schema),
    ),
    { error: 'Value should be a JSON object, like the webhooks of tools' },
  )
  .meta({ id: 'MonitorRequest' });

/**
 * Parses a body.
 * @returns the trigger, or the body's problems
 */
export function recognise(body: unknown): { trigger: Trigger } | { issues: z.core.$ZodIssue[] } {
  const parsed = MonitorRequest.safeParse(body);
  return parsed.success ? { trigger: parsed.data } : { issues: parsed.error.issues };
}
