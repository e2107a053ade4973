/** What traces say about a service. */
import { sentence } from '@casebook/wording';
import type { PlannedCall } from '../../decide.ts';
import { callsOf, jsonOf, rowsOf, textOf } from '../calls.ts';
import { wasCalled, type CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import type { RankedCause } from './conclusion.ts';
import type { SourceChoice } from './sources.ts';

/**
 * The comparison with healthy traces first, then the slowest trace of the incident. A tracing system knows neither the
 * alert nor what was healthy: the windows are those of the ranking.
 */
export function readTraces(file: CaseFile, { traces }: SourceChoice, service: string): PlannedCall[] {
  if (!traces) return [];
  const source = traces.id;
  if (!wasCalled(file, 'compare_traces')) {
    const { incident, baseline } = file.ranking?.result ?? {};
    const window = incident?.from && incident.to ? { from: incident.from, to: incident.to } : {};
    const healthy =
      baseline?.from && baseline.to ? { baseline_from: baseline.from, baseline_to: baseline.to } : undefined;
    return [
      { name: 'compare_traces', input: { source, service, ...window, ...healthy } },
      { name: 'search_traces', input: { source, service, ...window, limit: 1 } },
    ];
  }
  const [searched] = callsOf(file, 'search_traces');
  const [slowest] = searched && !searched.isError ? rowsOf(jsonOf(searched), 'traces') : [];
  const traceId = slowest ? textOf(slowest, 'trace_id') : '';
  if (traceId === '' || wasCalled(file, 'get_trace')) return [];
  return [{ name: 'get_trace', input: { source, trace_id: traceId } }];
}

/** The largest change that traces show in the cause or in the calls to it, unless the ranking has named it. */
export function traceSentence(
  { comparison }: CaseFile,
  citations: Citations,
  { service, evidence }: RankedCause,
): string {
  if (evidence.some(({ kind }) => kind === 'self_time' || kind === 'edge_time')) return '';
  const { operations = [], network = [] } = comparison?.result ?? {};
  const row = network.find(({ callee }) => callee === service) ?? operations.find((one) => one.service === service);
  if (!row) return '';
  return `${sentence(row.words.replace(/\.$/, ''))}${citations.cite(comparison?.call, members(row, 'words'))}.`;
}
