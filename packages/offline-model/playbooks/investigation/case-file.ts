/** What an investigation has gathered so far, read from its transcript. */
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
import type { Call, Transcript } from '../../transcript.ts';
import { isRecord } from '../calls.ts';
import { parsePartialJson } from './partial-json.ts';
import { wholeItems } from './whole-items.ts';

/** A result with the call it came from. */
export interface Found<T> {
  call: Call;
  result: T;
}

export interface Settled {
  source: string;
  /** Why, as the end of a sentence that begins with "because". */
  why: string;
  /** The time that the query means, ISO. */
  at?: string;
  /** What the query says beside its words. */
  hint?: string;
}

export interface CaseFile {
  query: string;
  /** The source to begin with, where that was decided already. */
  settled?: Settled;
  transcript: Transcript;
  sources?: Found<ListSourcesResult>;
  services?: Found<ListServicesResult>;
  metrics?: Found<SearchMetricsResult>;
  dependencies?: Found<ServiceDependenciesResult>;
  readings: Found<QueryMetricResult>[];
  ranking?: Found<RankRootCausesResult>;
  logs: Found<SearchLogsResult>[];
  changes: Found<RecentChangesResult>[];
  /** Calls that gave an error, or something that cannot be read. */
  failures: Call[];
}

export function openCase(transcript: Transcript, settled?: Settled): CaseFile {
  const failures: Call[] = [];
  const all = <T>(tool: string, empty: T): Found<T>[] =>
    transcript.calls.flatMap((call) => {
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
    query: [transcript.query ?? '', settled?.hint ?? ''].filter(Boolean).join('\n'),
    settled,
    transcript,
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
      considered: { services: 0, series: 0 },
      causes: [],
      notes: [],
    }).at(-1),
    logs: all<SearchLogsResult>('search_logs', { ...none, matched: 0, patterns: [], lines: [] }),
    changes: all<RecentChangesResult>('recent_changes', { ...none, changes: [] }),
    failures,
  };
}

/** Whether a tool was called, whatever came of it. */
export function wasCalled(file: CaseFile, tool: string): boolean {
  return file.transcript.calls.some((call) => call.tool === tool);
}

/** Lists must be lists where they are present; a list that a bounded view cut off is taken as empty. */
function hasListsOf(value: Record<string, unknown>, empty: unknown): boolean {
  return (
    isRecord(empty) &&
    Object.entries(empty).every(([key, other]) => !Array.isArray(other) || !(key in value) || Array.isArray(value[key]))
  );
}
