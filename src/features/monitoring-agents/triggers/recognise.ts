/** Recognises which tool sent a request, and parses it. Pure. */
import { z } from 'zod';
import type { Trigger } from './port.ts';
import { alertmanagerShape } from './shapes/alertmanager.ts';
import { alertShape, checkNowShape, deployShape } from './shapes/casebook.ts';
import { datadogShape } from './shapes/datadog.ts';
import { genericShape } from './shapes/generic.ts';
import { grafanaShape } from './shapes/grafana.ts';
import { pagerDutyIncidentShape, pagerDutyOtherShape } from './shapes/pagerduty.ts';
import type { Shape } from './shapes/shape.ts';
import { isRecord } from './text.ts';

/** The first parser that recognises a body parses it; the last one accepts any other. */
const SHAPES: readonly Shape[] = [
  alertShape,
  deployShape,
  checkNowShape,
  pagerDutyIncidentShape,
  pagerDutyOtherShape,
  grafanaShape,
  alertmanagerShape,
  datadogShape,
  genericShape,
];

/**
 * A body from any tool; the schema's output is the parsed trigger. Every other parser fails as a whole, so that only
 * the recognised parser's issues are reported.
 */
export const MonitorRequest = z
  .union(
    SHAPES.map((shape) =>
      z.preprocess((body, context) => {
        if (isRecord(body) && SHAPES.find(({ is }) => is(body)) === shape) return body;
        context.issues.push({ code: 'invalid_type', expected: 'object', input: body });
        return z.NEVER;
      }, shape.schema),
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
