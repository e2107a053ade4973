/** Cloud Monitoring: time series and the metrics there are. */
import { z } from 'zod';
import { defineOperation, QueryError, type ConnectorOperation } from '../connector.ts';
import { toRfc3339, unixSeconds } from '../shared/http-api/parameters.ts';
import type { GoogleCloud } from './cloud.ts';
import { all, labelsEqual, quote } from './filter.ts';

const ALIGNERS = [
  'ALIGN_NONE',
  'ALIGN_DELTA',
  'ALIGN_RATE',
  'ALIGN_INTERPOLATE',
  'ALIGN_NEXT_OLDER',
  'ALIGN_MIN',
  'ALIGN_MAX',
  'ALIGN_MEAN',
  'ALIGN_COUNT',
  'ALIGN_SUM',
  'ALIGN_STDDEV',
  'ALIGN_COUNT_TRUE',
  'ALIGN_COUNT_FALSE',
  'ALIGN_FRACTION_TRUE',
  'ALIGN_PERCENTILE_99',
  'ALIGN_PERCENTILE_95',
  'ALIGN_PERCENTILE_50',
  'ALIGN_PERCENTILE_05',
  'ALIGN_PERCENT_CHANGE',
] as const;
const REDUCERS = [
  'REDUCE_MEAN',
  'REDUCE_MIN',
  'REDUCE_MAX',
  'REDUCE_SUM',
  'REDUCE_STDDEV',
  'REDUCE_COUNT',
  'REDUCE_COUNT_TRUE',
  'REDUCE_COUNT_FALSE',
  'REDUCE_FRACTION_TRUE',
  'REDUCE_PERCENTILE_99',
  'REDUCE_PERCENTILE_95',
  'REDUCE_PERCENTILE_50',
  'REDUCE_PERCENTILE_05',
] as const;

const metricType = z
  .string()
  .max(500)
  .regex(/^[\w.-]+(?:\/[\w.-]+)+$/u, 'must be a metric type, such as run.googleapis.com/request_latencies');
/** Names of labels are identifiers. */
const labels = z
  .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/u, 'is not a label'), z.string().max(2_000))
  .refine((all) => Object.keys(all).length <= 20, 'has more than 20 members')
  .optional();
const pageToken = z.string().min(1).max(10_000).optional().describe('nextPageToken of the page before');

export function metricOperations(cloud: GoogleCloud): ConnectorOperation[] {
  return [
    defineOperation({
      name: 'time_series',
      description:
        'Time series of one metric of Cloud Monitoring over a time range: metric and resource labels, and points, the ' +
        'newest first. With an aligner each point covers period_seconds; a reducer then combines series, by group_by. ' +
        'Counters (CUMULATIVE, DELTA) need ALIGN_RATE or ALIGN_DELTA, distributions an ALIGN_PERCENTILE.',
      tool: true,
      parameters: z.strictObject({
        metric: metricType.describe('metric type, such as run.googleapis.com/request_count'),
        resource_type: z.string().min(1).max(200).optional().describe('such as cloud_run_revision'),
        metric_labels: labels.describe('exact values, such as {"response_code_class": "5xx"}'),
        resource_labels: labels.describe('exact values, such as {"service_name": "cart"}'),
        start: unixSeconds,
        end: unixSeconds,
        aligner: z.enum(ALIGNERS).optional(),
        period_seconds: z.number().int().min(60).max(2_592_000).optional().describe('at least 60'),
        reducer: z.enum(REDUCERS).optional(),
        group_by: z
          .array(z.string().regex(/^(?:metric|resource|metadata)\.[\w."/-]{1,200}$/u, 'is not a label'))
          .max(20)
          .optional()
          .describe('labels that remain, such as resource.labels.service_name'),
        limit: z.number().int().min(1).max(10_000).default(1_000).describe('maximum number of points'),
        page_token: pageToken,
      }),
      run(query, context) {
        if (query.end <= query.start) throw new QueryError('bad_request', 'end must be after start');
        if ((query.aligner === undefined) !== (query.period_seconds === undefined))
          throw new QueryError('bad_request', 'aligner and period_seconds go together');
        if (query.reducer !== undefined && query.aligner === undefined)
          throw new QueryError('bad_request', 'a reducer needs an aligner, so that the points of all series coincide');
        if (query.group_by !== undefined && query.reducer === undefined)
          throw new QueryError('bad_request', 'group_by needs a reducer');
        const conditions = [
          `metric.type = ${quote(query.metric)}`,
          query.resource_type && `resource.type = ${quote(query.resource_type)}`,
          ...labelsEqual(['metric', 'labels'], query.metric_labels),
          ...labelsEqual(['resource', 'labels'], query.resource_labels),
        ].filter((condition) => condition !== undefined);
        const parameters = {
          filter: all(conditions),
          'interval.startTime': toRfc3339(query.start),
          'interval.endTime': toRfc3339(query.end),
          'aggregation.perSeriesAligner': query.aligner,
          'aggregation.alignmentPeriod': query.period_seconds && `${query.period_seconds}s`,
          'aggregation.crossSeriesReducer': query.reducer,
          'aggregation.groupByFields': query.group_by,
          pageSize: query.limit,
          pageToken: query.page_token,
        };
        const path = ['v3', 'projects', cloud.project, 'timeSeries'];
        return cloud.json('monitoring', { path, query: parameters }, context);
      },
    }),
    defineOperation({
      name: 'metric_descriptors',
      description: 'Metrics of Cloud Monitoring: type, kind (GAUGE, DELTA, CUMULATIVE), value type, unit and labels.',
      tool: true,
      parameters: z.strictObject({
        prefix: z.string().min(1).max(500).optional().describe('such as run.googleapis.com/'),
        contains: z.string().min(1).max(500).optional().describe('part of the type, such as latenc'),
        limit: z.number().int().min(1).max(1_000).default(100),
        page_token: pageToken,
      }),
      run({ prefix, contains, limit, page_token: token }, context) {
        const conditions = [
          prefix && `metric.type = starts_with(${quote(prefix)})`,
          contains && `metric.type = has_substring(${quote(contains)})`,
        ].filter((condition) => condition !== undefined);
        const filter = conditions.length > 0 ? all(conditions) : undefined;
        const path = ['v3', 'projects', cloud.project, 'metricDescriptors'];
        return cloud.json('monitoring', { path, query: { filter, pageSize: limit, pageToken: token } }, context);
      },
    }),
  ];
}
