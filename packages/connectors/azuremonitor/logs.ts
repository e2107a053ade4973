/** Log Analytics: workspaces, and queries in the Kusto query language. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import { toRfc3339, unixSeconds } from '../shared/http-api/parameters.ts';
import type { AzureCloud } from './cloud.ts';
import { azureMonitorConfig } from './config.ts';
import { assertStaysInside } from './kql.ts';

const API_VERSION = '2022-10-01';

/** @throws {QueryError} when the range is empty */
export function timespan(start: number, end: number): string {
  if (end <= start) throw new QueryError('bad_request', 'end must be after start');
  return `${toRfc3339(start)}/${toRfc3339(end)}`;
}

export function logOperations(cloud: AzureCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'workspaces',
      description:
        'Log Analytics workspaces of the subscription. properties.customerId is the workspace_id of query_logs.',
      tool: true,
      parameters: z.strictObject({}),
      run: (_, context) =>
        cloud.manage(
          ['providers', 'Microsoft.OperationalInsights', 'workspaces'],
          { 'api-version': API_VERSION },
          context,
        ),
    }),
    defineOperation({
      name: 'query_logs',
      description:
        'Runs a KQL query in a Log Analytics workspace over a time range: tables with columns and rows. End with ' +
        '"| take 100" or summarize: a large result is refused. Tables there are: search * | distinct $table.',
      tool: true,
      parameters: z.strictObject({
        query: z.string().min(1).max(100_000).describe('KQL, such as AppRequests | where Success == false | take 50'),
        start: unixSeconds,
        end: unixSeconds,
        workspace_id: azureMonitorConfig.shape.workspace_id.describe(
          cloud.config.workspace_id === undefined ? 'see workspaces' : 'another workspace than the configured one',
        ),
      }),
      run({ query, start, end, workspace_id: workspace = cloud.config.workspace_id }, context) {
        if (workspace === undefined)
          throw new QueryError('bad_request', 'workspace_id is needed, since none is configured: see workspaces');
        assertStaysInside(query);
        return cloud.queryLogs(workspace, { query, timespan: timespan(start, end) }, context);
      },
    }),
  ];
}
