/** Cloud Trace. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import { toRfc3339, unixSeconds } from '../shared/http-api/parameters.ts';
import type { GoogleCloud } from './cloud.ts';

const name = z.string().min(1).max(1_000);

/** Trace's strings have two escapes, and no way to write a control character. */
const value = name.regex(/^\P{Cc}*$/u, 'must not have control characters');
const key = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9./_][A-Za-z0-9./_-]*$/u, 'is not the key of a label');

export function traceOperations(cloud: GoogleCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'traces',
      description:
        'Traces of Cloud Trace in a time range: trace ids with their root spans (name, times, labels). All conditions ' +
        'must hold; names match from their beginning unless exact is true.',
      tool: true,
      parameters: z.strictObject({
        start: unixSeconds,
        end: unixSeconds,
        root: value.optional().describe('name of the root span'),
        span: value.optional().describe('name of any span'),
        labels: z
          .record(key, value)
          .refine((all) => Object.keys(all).length <= 20, 'has more than 20 members')
          .optional()
          .describe('such as {"/http/status_code": "500"}'),
        exact: z.boolean().default(false),
        min_latency_ms: z.number().int().min(0).max(86_400_000).optional().describe('of the whole trace'),
        order: z.enum(['newest', 'oldest', 'slowest']).default('newest'),
        limit: z.number().int().min(1).max(1_000).default(50),
        page_token: z.string().min(1).max(10_000).optional().describe('nextPageToken of the page before'),
      }),
      run(query, context) {
        if (query.end <= query.start) throw new QueryError('bad_request', 'end must be after start');
        const exact = query.exact ? '+' : '';
        const terms = [
          query.root && `${exact}root:${quoteTerm(query.root)}`,
          query.span && `${exact}span:${quoteTerm(query.span)}`,
          query.min_latency_ms !== undefined && `latency:${query.min_latency_ms}ms`,
          ...Object.entries(query.labels ?? {}).map(([label, text]) => `${exact}${label}:${quoteTerm(text)}`),
        ].filter((term) => typeof term === 'string');
        const parameters = {
          view: 'ROOTSPAN',
          startTime: toRfc3339(query.start),
          endTime: toRfc3339(query.end),
          filter: terms.length > 0 ? terms.join(' ') : undefined,
          orderBy: { newest: 'start desc', oldest: 'start', slowest: 'duration desc' }[query.order],
          pageSize: query.limit,
          pageToken: query.page_token,
        };
        const path = ['v1', 'projects', cloud.project, 'traces'];
        return cloud.json('cloudtrace', { path, query: parameters }, context);
      },
    }),
    defineOperation({
      name: 'trace',
      description: 'One trace of Cloud Trace with all of its spans: names, kinds, parents, times and labels.',
      tool: true,
      parameters: z.strictObject({
        trace_id: z.string().regex(/^[0-9a-fA-F]{32}$/u, 'must be 32 hexadecimal digits'),
      }),
      run({ trace_id: id }, context) {
        const path = ['v1', 'projects', cloud.project, 'traces', id.toLowerCase()];
        return cloud.json('cloudtrace', { path }, context);
      },
    }),
  ];
}

const quoteTerm = (text: string): string => `"${text.toWellFormed().replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
