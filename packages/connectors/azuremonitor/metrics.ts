/** Metrics of Azure's resources. */
import { z } from 'zod';
import { defineOperation, type ConnectorOperation } from '../connector.ts';
import { unixSeconds } from '../shared/http-api/parameters.ts';
import { pathInSubscription, quote, type AzureCloud } from './cloud.ts';
import { timespan } from './logs.ts';

const API_VERSION = '2023-10-01';

const resourceId = z.string().min(1).max(2_000).describe('id of a resource, as in the answer of resources');
/** Lists of them are separated by commas. */
const metricName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^,\p{Cc}]+$/u, 'must be one metric');
const namespace = z.string().min(1).max(200).optional().describe("metric namespace, if not the resource's own");

export function metricOperations(cloud: AzureCloud): ConnectorOperation[] {
  const insights = (resource: string, what: string): string[] => [
    ...pathInSubscription(resource, cloud.config.subscription_id),
    'providers',
    'Microsoft.Insights',
    what,
  ];
  return [
    defineOperation({
      name: 'metrics',
      description:
        'Values of metrics of one resource over a time range: one series for each combination of dimensions, with a ' +
        'value for each interval and aggregation. Names, units and aggregations: see metric_definitions.',
      tool: true,
      parameters: z.strictObject({
        resource_id: resourceId,
        metrics: z.array(metricName).min(1).max(20),
        namespace,
        start: unixSeconds,
        end: unixSeconds,
        interval: z
          .enum(['PT1M', 'PT5M', 'PT15M', 'PT30M', 'PT1H', 'PT6H', 'PT12H', 'P1D'])
          .optional()
          .describe('ISO 8601; default PT1M'),
        aggregations: z
          .array(z.enum(['Average', 'Total', 'Maximum', 'Minimum', 'Count']))
          .min(1)
          .max(5)
          .optional()
          .describe("default: the metric's primary one"),
        dimensions: z
          .record(z.string().regex(/^[A-Za-z][\w/.-]{0,199}$/u, 'is not a dimension'), z.string().max(1_000))
          .refine((all) => Object.keys(all).length <= 10, 'has more than 10 members')
          .optional()
          .describe('exact values; * splits by the dimension, as in {"StatusCode": "*"}'),
        limit: z.number().int().min(1).max(500).optional().describe('maximum number of series, with dimensions only'),
      }),
      run(query, context) {
        const conditions = Object.entries(query.dimensions ?? {}).map(([name, value]) => `${name} eq ${quote(value)}`);
        const parameters = {
          'api-version': API_VERSION,
          metricnames: query.metrics.join(','),
          metricnamespace: query.namespace,
          timespan: timespan(query.start, query.end),
          interval: query.interval,
          aggregation: query.aggregations?.join(','),
          $filter: conditions.length > 0 ? conditions.join(' and ') : undefined,
          top: conditions.length > 0 ? query.limit : undefined,
        };
        return cloud.manage(insights(query.resource_id, 'metrics'), parameters, context);
      },
    }),
    defineOperation({
      name: 'metric_definitions',
      description: 'The metrics of one resource: names, units, aggregations, intervals and dimensions.',
      tool: true,
      parameters: z.strictObject({ resource_id: resourceId, namespace }),
      run: ({ resource_id: resource, namespace: metricnamespace }, context) =>
        cloud.manage(insights(resource, 'metricDefinitions'), { 'api-version': API_VERSION, metricnamespace }, context),
    }),
  ];
}
