/** The API schema of the services around a suspect. */
import { z } from 'zod';

const figure = z.number().nullable();

export const SERVICE_ROLES = ['suspect', 'alerting', 'affected', 'ruled_out', 'related'] as const;

const GraphService = z
  .object({
    name: z.string(),
    role: z
      .enum(SERVICE_ROLES)
      .describe(
        'affected: the fault passed through it, it alerted, or its metrics moved. ruled_out: the report says that it is not the cause, and the fault did not pass through it. related: only its calls are known.',
      ),
    score: figure.describe('Score in the root-cause ranking: higher is more suspicious.'),
    rank: z.int().nullable().describe('Position in that ranking, from 1.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it has its role or score, according to the ranking, the report or an alert.'),
    evidence: z
      .array(z.object({ tool_call_id: z.uuid(), evidence: z.int() }))
      .describe(
        'Tool calls that looked at it, or whose results name it; evidence is the number that the report cites.',
      ),
  })
  .meta({ id: 'InvestigationGraphService' });

const GraphCall = z
  .object({
    caller: z.string(),
    callee: z.string(),
    calls_per_second: figure,
    error_ratio: figure.describe('Failed calls divided by all calls, 0 to 1.'),
    p95_seconds: figure,
    figures_as_of: z.iso
      .datetime()
      .nullable()
      .describe(
        'When a live graph measured these figures, which are averages of the minutes before; null if it did not.',
      ),
    stale: z.boolean().describe('No call was seen for a while.'),
    on_fault_path: z.boolean(),
  })
  .meta({ id: 'InvestigationGraphCall' });

export const InvestigationGraphResponse = z
  .object({
    suspect: z
      .string()
      .nullable()
      .describe('According to the report, or until then the top of the ranking; null if unknown.'),
    is_tentative: z.boolean().describe('Whether the suspect does not come from a report.'),
    alerting: z.string().nullable().describe('The service whose symptom is explained.'),
    services: z.array(GraphService).describe('The suspect first, then along the fault path, then by score.'),
    calls: z.array(GraphCall).describe('Among these services.'),
    fault_path: z
      .array(z.string())
      .describe('From the alerting service along its calls to the suspect, both included; empty if no path is known.'),
    truncated: z.boolean().describe('Whether more services or calls are known, or results were truncated.'),
    notes: z.array(z.string()).describe('What is unknown about it, in sentences.'),
  })
  .meta({ id: 'InvestigationGraphResponse' });
