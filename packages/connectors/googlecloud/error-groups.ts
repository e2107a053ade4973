/** Error Reporting. */
import { z } from 'zod';
import { defineOperation, type ConnectorOperation } from '../connector.ts';
import type { GoogleCloud } from './cloud.ts';

/** The only ranges of time there are; all end now. */
const PERIODS = {
  '1h': 'PERIOD_1_HOUR',
  '6h': 'PERIOD_6_HOURS',
  '1d': 'PERIOD_1_DAY',
  '7d': 'PERIOD_1_WEEK',
  '30d': 'PERIOD_30_DAYS',
} as const;

const name = z.string().min(1).max(500);

export function errorGroupOperations(cloud: GoogleCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'error_groups',
      description:
        'Similar errors of the last period as groups of Error Reporting: count, affected users and services, first and ' +
        'last seen, and a representative event with its stack trace.',
      tool: true,
      parameters: z.strictObject({
        period: z.enum(['1h', '6h', '1d', '7d', '30d']).default('6h').describe('the time up to now'),
        service: name.optional(),
        version: name.optional(),
        group_ids: z.array(name).min(1).max(50).optional(),
        order: z.enum(['COUNT_DESC', 'LAST_SEEN_DESC', 'CREATED_DESC', 'AFFECTED_USERS_DESC']).default('COUNT_DESC'),
        limit: z.number().int().min(1).max(100).default(20),
        page_token: z.string().min(1).max(10_000).optional().describe('nextPageToken of the page before'),
      }),
      run(query, context) {
        const parameters = {
          'timeRange.period': PERIODS[query.period],
          'serviceFilter.service': query.service,
          'serviceFilter.version': query.version,
          groupId: query.group_ids,
          order: query.order,
          pageSize: query.limit,
          pageToken: query.page_token,
        };
        const path = ['v1beta1', 'projects', cloud.project, 'groupStats'];
        return cloud.json('clouderrorreporting', { path, query: parameters }, context);
      },
    }),
  ];
}
