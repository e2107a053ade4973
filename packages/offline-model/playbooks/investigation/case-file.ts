/** What an investigation has gathered so far. */
import type {
  ListServicesResult,
  ListSourcesResult,
  QueryMetricResult,
  RankRootCausesResult,
  RecentChangesResult,
  SearchLogsResult,
  SearchMetricsResult,
  ServiceDependenciesResult,
} from '../../../../src/features/tools/results.ts';
import type { Call, Message } from '../../transcript.ts';
import { isRecord } from '../calls.ts';
import type { ConnectedTool } from '../connected/catalogue.ts';
import { parsePartialJson } from './partial-json.ts';

export interface Found<T> {
  call: Call;
  result: T;
}

/** What `compare_traces` says, in words. */
export interface TraceComparison {
  operations: { service: string; words: string }[];
  network: { caller: string; callee: string; words: string }[];
}

/** The source to begin with, if already decided. */
export interface Settled {
  source: string;
  /** The chat is about it. */
  stays: boolean;
}

/** What the calls are made for. */
interface Assignment {
  query: string;
  /** What people have said since. */
  messages: readonly Message[];
  settled?: Settled;
  /** The tools of connected systems. */
  connected: readonly ConnectedTool[];
  /** Names of connected systems whose tools have to be searched for. */
  systems: readonly string[];
  /** Repositories that pull requests can be suggested for. */
  repositories: readonly string[];
}

export interface CaseFile extends Assignment {
  calls: readonly Call[];
  sources?: Found<ListSourcesResult>;
  services?: Found<ListServicesResult>;
  metrics?: Found<SearchMetricsResult>;
  dependencies?: Found<ServiceDependenciesResult>;
  readings: Found<QueryMetricResult>[];
  ranking?: Found<RankRootCausesResult>;
  logs: Found<SearchLogsResult>[];
  changes: Found<RecentChangesResult>[];
  comparison?: Found<TraceComparison>;
  /** Calls with an error or an unreadable result. */
  failures: Call[];
}

export function openCase(calls: readonly Call[], assignment: Partial<Assignment> = {}): CaseFile {
  const failures: Call[] = [];
  const all = <T>(tool: string, empty: T): Found<T>[] =>
    calls.flatMap((call) => {
      if (call.tool !== tool) return [];
      const value = call.isError ? undefined : wholeItems(parsePartialJson(call.body));
      if (!isRecord(value) || !hasListsOf(value, empty)) {
        failures.push(call);
        return [];
      }
      return [{ call, result: { ...empty, ...value } }];
    });
  const none = { source: '', window: { from: '', to: '' }, truncated: false };
  return {
    query: '',
    messages: [],
    connected: [],
    systems: [],
    repositories: [],
    ...assignment,
    calls,
    sources: all<ListSourcesResult>('list_sources', { sources: [], now: '', truncated: false }).at(-1),
    services: all<ListServicesResult>('list_services', { ...none, services: [], total: 0 }).at(-1),
    metrics: all<SearchMetricsResult>('search_metrics', { ...none, metrics: [] }).at(-1),
    dependencies: all<ServiceDependenciesResult>('service_dependencies', {
      ...none,
      service: '',
      direction: 'downstream',
      services: [],
      edges: [],
      cycles: [],
    }).at(-1),
    readings: all<QueryMetricResult>('query_metric', { ...none, baseline: none.window, metric: '', series: [] }),
    ranking: all<RankRootCausesResult>('rank_root_causes', {
      source: '',
      alert: { service: '', at: '' },
      incident: none.window,
      baseline: none.window,
      onset: null,
      symptom: null,
      considered: { services: 0, series: 0 },
      causes: [],
      confidence: 0,
      notes: [],
    }).at(-1),
    logs: all<SearchLogsResult>('search_logs', { ...none, matched: 0, patterns: [], lines: [] }),
    changes: all<RecentChangesResult>('recent_changes', { ...none, changes: [] }),
    comparison: all<TraceComparison>('compare_traces', { operations: [], network: [] }).at(-1),
    failures,
  };
}

export function wasCalled(file: CaseFile, tool: string): boolean {
  return file.calls.some((call) => call.tool === tool);
}

/** A list that was cut off counts as empty; anything else in its place does not. */
function hasListsOf(value: Record<string, unknown>, empty: unknown): boolean {
  return (
    isRecord(empty) &&
    Object.entries(empty).every(([key, other]) => !Array.isArray(other) || !(key in value) || Array.isArray(value[key]))
  );
}

/** The shortest path along calls, as the graph of the investigation shows it: of equally short ones the most suspect. */
export function pathBetween({ dependencies, ranking }: CaseFile, from: string, to: string): string[] | undefined {
  const edges = dependencies?.result.edges ?? [];
  const scores = new Map(ranking?.result.causes.map(({ service, score }) => [service, score]));
  const seen = new Set([from]);
  let ways = new Map([[from, { path: [from], score: 0 }]]);
  while (ways.size > 0 && !ways.has(to)) {
    const longer: typeof ways = new Map();
    for (const [last, { path, score }] of ways) {
      for (const { caller, callee } of edges) {
        if (caller !== last || seen.has(callee)) continue;
        const way = { path: [...path, callee], score: score + Math.max(0, scores.get(callee) ?? 0) };
        if (way.score > (longer.get(callee)?.score ?? -1)) longer.set(callee, way);
      }
    }
    for (const service of longer.keys()) seen.add(service);
    ways = longer;
  }
  return from === to ? undefined : ways.get(to)?.path;
}

/** Required members of items, by the name of their list. */
const MEMBERS: Record<string, string[]> = {
  sources: ['id', 'kind', 'title', 'capabilities', 'alerts'],
  alerts: ['name', 'service', 'at', 'summary'],
  metrics: ['metric', 'services', 'statistics'],
  edges: ['caller', 'callee'],
  series: ['service', 'points', 'anomaly'],
  causes: ['rank', 'service', 'score', 'own_score', 'signals', 'evidence'],
  signals: ['metric', 'meaning', 'direction', 'score', 'baseline_median', 'incident_value'],
  patterns: ['pattern', 'count', 'services', 'first', 'last'],
  lines: ['at', 'service', 'message'],
  changes: ['id', 'at', 'kind', 'summary'],
  operations: ['service', 'words'],
  network: ['caller', 'callee', 'words'],
  evidence: ['kind', 'statement'],
};

function wholeItems(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(wholeItems);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const items = wholeItems(member);
      const needed = Object.hasOwn(MEMBERS, key) ? (MEMBERS[key] ?? []) : [];
      const isWhole = (item: unknown): boolean =>
        needed.length === 0 || (isRecord(item) && needed.every((name) => item[name] !== undefined));
      return [key, Array.isArray(items) ? items.filter(isWhole) : items];
    }),
  );
}
