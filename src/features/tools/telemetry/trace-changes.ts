/** What differs between traces of an incident and healthy ones, as rows of a result. Pure. */
import { fromTo, quantity } from '@casebook/wording';
import type { SpanChange, EdgeComparison, OperationComparison } from '../../diagnosis/index.ts';
import type { CompareTracesResult, TraceChangeResult } from '../results.ts';
import { oneLine, significant } from '../text.ts';
import { toIso } from '../time.ts';
import { known } from './series.ts';

type OperationRow = CompareTracesResult['operations'][number];
type NetworkRow = CompareTracesResult['network'][number];

/** A smaller score is what health shows now and then. */
const NOTABLE = 3;
const NAME_CHARACTERS = 120;

export const traceName = (text: string): string => oneLine(text, NAME_CHARACTERS);

/** Operations with a notable change, by the largest of their changes first. */
export function changedOperations(all: readonly OperationComparison[]): OperationRow[] {
  return all
    .map(({ service, operation, selfMs, callsPerTrace, errorShare }): OperationRow => {
      const changes = {
        ...(isNotable(selfMs) && { self_ms: present(selfMs) }),
        ...(isNotable(callsPerTrace) && { calls_per_trace: present(callsPerTrace) }),
        ...(isNotable(errorShare) && { error_share: present(errorShare) }),
      };
      const names = { service: traceName(service), operation: traceName(operation) };
      return { ...names, ...changes, words: operationInWords({ ...names, ...changes }) };
    })
    .filter((row) => largestChange(row) > 0)
    .sort((a, b) => largestChange(b) - largestChange(a));
}

/** Callers and callees with a notable change of the time between them, the largest first. */
export function changedNetwork(all: readonly EdgeComparison[]): NetworkRow[] {
  return all
    .filter(({ edgeMs }) => isNotable(edgeMs))
    .map(({ caller, callee, edgeMs }) => {
      const names = { caller: traceName(caller), callee: traceName(callee) };
      const change = present(edgeMs);
      const [after, before] = [quantity(change.after, 'ms'), quantity(change.before, 'ms')];
      const words = `Network time from ${names.caller} to ${names.callee}: ${after} (baseline ${before})`;
      return { ...names, network_ms: change, words };
    })
    .sort((a, b) => largestChange(b) - largestChange(a));
}

/** The size of the largest change in a row; 0 if it has none. */
export function largestChange(row: Partial<OperationRow & NetworkRow>): number {
  const changes = [row.self_ms, row.calls_per_trace, row.error_share, row.network_ms];
  return Math.max(0, ...changes.map((change) => Math.abs(change?.score ?? 0)));
}

const isNotable = ({ score }: SpanChange): boolean => Math.abs(score) >= NOTABLE;

const present = ({ before, after, score, onset }: SpanChange): TraceChangeResult => ({
  before: known(before),
  after: known(after),
  score: significant(score),
  ...(onset !== undefined && { onset: toIso(onset) }),
});

function operationInWords({ service, operation, ...changes }: Omit<OperationRow, 'words'>): string {
  const { self_ms: self, calls_per_trace: calls, error_share: errors } = changes;
  const parts = [
    self && `self time went ${fromTo(self.before, self.after, 'ms')}`,
    calls && `calls per trace went ${fromTo(calls.before, calls.after)}`,
    errors && `error rate went ${fromTo(errors.before, errors.after, 'ratio')}`,
  ];
  return `${service} ${operation}: ${parts.filter((part) => part !== undefined).join('; ')}`;
}
