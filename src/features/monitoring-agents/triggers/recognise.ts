/** Which tool a request comes from, and what it says: pure. */
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

/** The first that a body looks like is what it was meant to be; the last one is any other. */
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
 * A body of the endpoint, whatever tool it comes from; what it says is its output. Other forms than the one that was
 * meant fail as a whole: what is reported are all the issues of that one, and of no other.
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
    { error: 'Value should be a JSON object, as the webhooks of tools are' },
  )
  .meta({ id: 'MonitorRequest' });

/**
 * What a body says.
 * @returns the trigger, or what is wrong with the body
 */
export function recognise(body: unknown): { trigger: Trigger } | { issues: z.core.$ZodIssue[] } {
  const parsed = MonitorRequest.safeParse(body);
  return parsed.success ? { trigger: parsed.data } : { issues: parsed.error.issues };
}
