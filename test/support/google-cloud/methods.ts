/**
 * The methods of Google's APIs that Casebook calls, over rows in memory, with the scopes, parameters and bodies of their
 * discovery documents.
 */
import { compileFilter } from './filter.ts';
import { GOOGLE_SCOPES } from './oauth.ts';
import { GoogleRefusal } from './refusal.ts';

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- rows in the vendor's JSON

export interface GoogleData {
  project: { id: string; name: string };
  /** Others that people see beside it. */
  otherProjects: { id: string; name: string }[];
  /** `google.logging.v2.LogEntry` */
  entries: Row[];
  /** `google.api.MetricDescriptor` */
  descriptors: Row[];
  /** `google.monitoring.v3.TimeSeries`, with points */
  series: Row[];
  /** `google.devtools.cloudtrace.v1.Trace` */
  traces: Row[];
  /** `google.devtools.clouderrorreporting.v1beta1.ErrorGroupStats` */
  errorGroups: Row[];
  /** How many pages of log entries are empty before there are any. */
  emptyPages: number;
}

export interface GoogleMethod {
  service: string;
  verb: 'GET' | 'POST';
  path: RegExp;
  scopes: readonly string[];
  permission: string;
  /** Query parameters, or members of the body. */
  fields: readonly string[];
  run(query: Row, data: GoogleData, match: RegExpExecArray): object;
}

const scopes = (...names: string[]): string[] => ['cloud-platform', ...names].map((name) => GOOGLE_SCOPES + name);
const PROJECT = '(?<project>[^/:]+(?::[^/:]+)?)';
const paging = ['pageSize', 'pageToken'];

const projectOf = ({ id, name }: GoogleData['project']): Row => ({
  name: 'projects/415104041262',
  projectId: id,
  displayName: name,
  state: 'ACTIVE',
});

export const methods: GoogleMethod[] = [
  {
    service: 'cloudresourcemanager',
    verb: 'GET',
    path: new RegExp(`^/v3/projects/${PROJECT}$`, 'u'),
    scopes: scopes('cloud-platform.read-only'),
    permission: 'resourcemanager.projects.get',
    fields: [],
    run: (_, { project }) => projectOf(project),
  },
  {
    service: 'cloudresourcemanager',
    verb: 'GET',
    path: /^\/v3\/projects:search$/u,
    scopes: scopes('cloud-platform.read-only'),
    // Whoever has it for no project gets an empty list.
    permission: '',
    fields: ['query', ...paging],
    run: (query, { project, otherProjects }) =>
      page('projects', [project, ...otherProjects].map(projectOf), query, 1_000),
  },
  {
    service: 'logging',
    verb: 'POST',
    path: /^\/v2\/entries:list$/u,
    scopes: scopes('cloud-platform.read-only', 'logging.admin', 'logging.read'),
    permission: 'logging.logEntries.list',
    fields: ['resourceNames', 'filter', 'orderBy', ...paging],
    run(query, data) {
      const fields = Object.keys({ ...ENTRY_FIELDS, ...data.entries[0] });
      const matches = compileFilter(query['filter'] ?? '', { fields });
      const order = query['orderBy'] ?? 'timestamp asc';
      if (!['timestamp asc', 'timestamp desc'].includes(order)) throw invalid('order_by', order);
      const found = data.entries
        .filter(matches)
        .sort((a, b) => Date.parse(a['timestamp']) - Date.parse(b['timestamp']));
      if (data.emptyPages > 0) {
        data.emptyPages -= 1;
        return { nextPageToken: query['pageToken'] ?? tokenOf(0) };
      }
      return page('entries', order.endsWith('desc') ? found.toReversed() : found, query, 1_000);
    },
  },
  {
    service: 'monitoring',
    verb: 'GET',
    path: new RegExp(`^/v3/projects/${PROJECT}/metricDescriptors$`, 'u'),
    scopes: scopes('monitoring', 'monitoring.read', 'monitoring.write', 'cloud-platform.read-only'),
    permission: 'monitoring.metricDescriptors.list',
    fields: ['filter', 'activeOnly', ...paging],
    run(query, data) {
      const matches = compileFilter(query['filter'] ?? '', { fields: ['metric', 'resource', 'project'] });
      return page(
        'metricDescriptors',
        data.descriptors.filter((row) => matches({ metric: row })),
        query,
        10_000,
      );
    },
  },
  {
    service: 'monitoring',
    verb: 'GET',
    path: new RegExp(`^/v3/projects/${PROJECT}/timeSeries$`, 'u'),
    scopes: scopes('monitoring', 'monitoring.read', 'cloud-platform.read-only'),
    permission: 'monitoring.timeSeries.list',
    fields: [
      'filter',
      'interval.startTime',
      'interval.endTime',
      'aggregation.alignmentPeriod',
      'aggregation.perSeriesAligner',
      'aggregation.crossSeriesReducer',
      'aggregation.groupByFields',
      'orderBy',
      'view',
      ...paging,
    ],
    run: timeSeries,
  },
  {
    service: 'cloudtrace',
    verb: 'GET',
    path: new RegExp(`^/v1/projects/${PROJECT}/traces$`, 'u'),
    scopes: scopes('trace.readonly'),
    permission: 'cloudtrace.traces.list',
    fields: ['view', 'startTime', 'endTime', 'filter', 'orderBy', ...paging],
    run(query, data) {
      const matches = traceFilter(query['filter'] ?? '');
      const [start, end] = [Date.parse(query['startTime'] ?? 0), Date.parse(query['endTime'] ?? '2999-01-01')];
      const [by = 'trace_id', direction] = String(query['orderBy'] ?? 'trace_id').split(' ');
      const key = { trace_id: (row: Row) => row['traceId'], start: startOf, duration: durationOf }[by];
      if (!key) throw invalid('order_by', by);
      const found = data.traces
        .filter((row) => startOf(row) >= start && startOf(row) <= end && matches(row))
        .sort((a, b) => (key(a) < key(b) ? -1 : 1));
      const shown = (direction === 'desc' ? found.toReversed() : found).map(({ spans, ...row }) => {
        if (query['view'] === 'COMPLETE') return { ...row, spans };
        return query['view'] === 'ROOTSPAN' ? { ...row, spans: spans.slice(0, 1) } : row;
      });
      return page('traces', shown, query, 1_000);
    },
  },
  {
    service: 'cloudtrace',
    verb: 'GET',
    path: new RegExp(`^/v1/projects/${PROJECT}/traces/(?<trace>[0-9a-f]{32})$`, 'u'),
    scopes: scopes('trace.readonly'),
    permission: 'cloudtrace.traces.get',
    fields: [],
    run(_, data, { groups }) {
      const found = data.traces.find(({ traceId }) => traceId === groups!['trace']);
      if (found) return found;
      throw new GoogleRefusal(404, 'NOT_FOUND', 'Requested entity was not found.');
    },
  },
  {
    service: 'clouderrorreporting',
    verb: 'GET',
    path: new RegExp(`^/v1beta1/projects/${PROJECT}/groupStats$`, 'u'),
    scopes: scopes(),
    permission: 'errorreporting.groups.list',
    fields: [
      'groupId',
      'serviceFilter.service',
      'serviceFilter.version',
      'serviceFilter.resourceType',
      'timeRange.period',
      'timedCountDuration',
      'alignment',
      'alignmentTime',
      'order',
      ...paging,
    ],
    run(query, data) {
      if (!/^PERIOD_(?:1_HOUR|6_HOURS|1_DAY|1_WEEK|30_DAYS)$/u.test(query['timeRange.period'] ?? 'PERIOD_1_HOUR'))
        throw invalid('time_range.period', query['timeRange.period']);
      const wanted: string[] | undefined = query['groupId'] && [query['groupId']].flat();
      const found = data.errorGroups.filter(
        ({ group, affectedServices }) =>
          (wanted?.includes(group.groupId) ?? true) &&
          affectedServices.some(
            ({ service, version }: Row) =>
              [undefined, service].includes(query['serviceFilter.service']) &&
              [undefined, version].includes(query['serviceFilter.version']),
          ),
      );
      return page(
        'errorGroupStats',
        found.sort((a, b) => Number(b['count']) - Number(a['count'])),
        query,
        100,
      );
    },
  },
];

const ENTRY_FIELDS = Object.fromEntries(
  'timestamp receiveTimestamp severity logName insertId trace textPayload jsonPayload protoPayload resource labels httpRequest operation'
    .split(' ')
    .map((name) => [name, true]),
);

const invalid = (name: string, value: unknown) =>
  new GoogleRefusal(400, 'INVALID_ARGUMENT', `Invalid value at '${name}', "${String(value)}"`);

const tokenOf = (offset: number): string => Buffer.from(`offset ${offset}`).toString('base64url');

function page(name: string, rows: Row[], query: Row, most: number): object {
  const size = Number(query['pageSize'] ?? 50);
  if (!Number.isInteger(size) || size < 1 || size > most) throw invalid('page_size', size);
  const token = query['pageToken'];
  const [, digits] = /^offset (\d+)$/u.exec(Buffer.from(token ?? tokenOf(0), 'base64url').toString()) ?? [];
  if (digits === undefined) throw new GoogleRefusal(400, 'INVALID_ARGUMENT', 'page_token is invalid');
  const end = Number(digits) + size;
  const shown = rows.slice(Number(digits), end);
  return {
    ...(shown.length > 0 && { [name]: shown }),
    ...(end < rows.length && { nextPageToken: tokenOf(end) }),
  };
}

const REDUCE: Record<string, (values: number[]) => number> = {
  MEAN: (values) => values.reduce((a, b) => a + b, 0) / values.length,
  SUM: (values) => values.reduce((a, b) => a + b, 0),
  MAX: (values) => Math.max(...values),
  MIN: (values) => Math.min(...values),
};

/** Of the aligners and reducers it knows mean, sum, max and min. */
function timeSeries(query: Row, data: GoogleData): object {
  for (const name of ['filter', 'interval.endTime'])
    if (query[name] === undefined) throw new GoogleRefusal(400, 'INVALID_ARGUMENT', `Field ${name} is required.`);
  const matches = compileFilter(query['filter'], { fields: ['metric', 'resource', 'metadata', 'project', 'group'] });
  if (!/metric\.type = "/u.test(query['filter']))
    throw new GoogleRefusal(400, 'INVALID_ARGUMENT', 'The filter must specify a metric type.');
  const [start, end] = ['interval.startTime', 'interval.endTime'].map((name) => Date.parse(query[name]));
  const reader = (kind: string, value: string) => {
    const reduce = REDUCE[value.replace(`${kind}_`, '')];
    if (!reduce) throw invalid(kind, value);
    return reduce;
  };
  let found = data.series.filter(matches).map((row) => ({
    ...row,
    points: row['points'].filter(({ interval }: Row) => {
      const at = Date.parse(interval.endTime);
      return at > start! && at <= end!;
    }) as Row[],
  })) as Row[];
  const aligner = query['aggregation.perSeriesAligner'];
  if (aligner !== undefined) {
    const periodMs = Number(/^(\d+)s$/u.exec(query['aggregation.alignmentPeriod'])?.[1]) * 1000;
    if (!(periodMs >= 60_000)) throw invalid('aggregation.alignment_period', query['aggregation.alignmentPeriod']);
    const align = reader('ALIGN', aligner);
    found = found.map((row) => ({
      ...row,
      points: bucket(row['points'], (at) => end! - Math.floor((end! - at) / periodMs) * periodMs, align),
    }));
  }
  const reducer = query['aggregation.crossSeriesReducer'];
  if (reducer !== undefined) {
    const reduce = reader('REDUCE', reducer);
    const by = [query['aggregation.groupByFields'] ?? []].flat() as string[];
    const labelOf = (row: Row, path: string) => path.split('.').reduce<Row | undefined>((of, name) => of?.[name], row);
    const groups = Map.groupBy(found, (row) => JSON.stringify(by.map((path) => labelOf(row, path))));
    found = [...groups.values()].map((rows) => ({
      metric: { type: rows[0]!['metric'].type },
      resource: {
        type: rows[0]!['resource'].type,
        labels: Object.fromEntries(by.map((path) => [path.split('.').at(-1)!, labelOf(rows[0]!, path)])),
      },
      points: bucket(
        rows.flatMap((row) => row['points'] as Row[]),
        (at) => at,
        reduce,
      ),
    }));
  }
  return page('timeSeries', found, query, 100_000);
}

function bucket(points: Row[], endOf: (at: number) => number, reduce: (values: number[]) => number): Row[] {
  const groups = Map.groupBy(points, ({ interval }) => endOf(Date.parse(interval.endTime)));
  return [...groups]
    .sort(([a], [b]) => b - a)
    .map(([at, members]) => ({
      interval: { startTime: new Date(at).toISOString(), endTime: new Date(at).toISOString() },
      value: { doubleValue: reduce(members.map(({ value }) => Number(value.doubleValue))) },
    }));
}

const startOf = ({ spans }: Row): number => Date.parse(spans[0].startTime);
const durationOf = (row: Row): number => Date.parse(row['spans'][0].endTime) - startOf(row);

/** Terms like `+span:"name"`, all of which must hold. */
function traceFilter(filter: string): (trace: Row) => boolean {
  const term =
    /\s*(?<exact>\+)?(?<key>[A-Za-z0-9./_][A-Za-z0-9./_-]*):(?:"(?<quoted>(?:[^"\\]|\\["\\])*)"|(?<bare>[^\s":]+))(?=\s|$)/gsuy;
  const conditions: ((trace: Row) => boolean)[] = [];
  let at = 0;
  for (const { 0: whole, groups } of filter.matchAll(term)) {
    at += whole.length;
    const { exact, key, quoted, bare } = groups!;
    const value = quoted?.replaceAll(/\\(.)/gsu, '$1') ?? bare!;
    const fits = (text: string | undefined) => (exact ? text === value : text?.startsWith(value)) ?? false;
    if (key === 'latency') conditions.push((row) => durationOf(row) >= Number(/^(\d+)ms$/u.exec(value)?.[1]));
    else if (key === 'root') conditions.push(({ spans }) => fits(spans[0].name));
    else if (key === 'span') conditions.push(({ spans }) => spans.some(({ name }: Row) => fits(name)));
    else conditions.push(({ spans }) => spans.some(({ labels }: Row) => fits(labels?.[key!])));
  }
  if (filter.slice(at).trim() !== '')
    throw new GoogleRefusal(400, 'INVALID_ARGUMENT', `Invalid filter: unexpected "${filter.slice(at).trim()}"`);
  return (row) => conditions.every((holds) => holds(row));
}
