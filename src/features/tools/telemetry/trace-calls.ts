/** Operations and calls that only one of two sets of traces has. Pure. */
import { isDuring } from '../../diagnosis/index.ts';
import type { Span, TimeWindow } from '../../sources/port.ts';
import type { CompareTracesResult } from '../results.ts';
import { count } from '../text.ts';
import { traceName } from './trace-changes.ts';

/** One that is expected this often and missing is not missing by chance: for a Poisson process, in 1 of 150 cases. */
const LEAST_EXPECTED = 5;

type Lists = Pick<CompareTracesResult, 'new_operations' | 'vanished_operations' | 'new_calls' | 'vanished_calls'>;

/** How often something was seen. */
interface Seen {
  before: number;
  after: number;
}
interface Operation extends Seen {
  span: Span;
}
interface Call extends Operation {
  parent: Span;
}

/**
 * What is new in the incident, and what has vanished from it, most frequent first. A call counts by the executions of
 * the operation that makes it: one that is no longer executed makes none.
 * @param traces how many traces each window has
 * @param isAbout whether something of these services belongs in the answer
 */
export function newAndVanished(
  spans: readonly Span[],
  { baseline, incident }: { baseline: TimeWindow; incident: TimeWindow },
  traces: Seen,
  isAbout: (...services: string[]) => boolean,
): Lists {
  const operations = new Map<string, Operation>();
  const calls = new Map<string, Call>();
  const byId = new Map(spans.map((span) => [keyOf(span.traceId, span.spanId), span]));
  for (const span of spans) {
    const within = isDuring(span.start, incident) ? 'after' : isDuring(span.start, baseline) ? 'before' : undefined;
    if (within === undefined) continue;
    see(operations, nameOf(span), { span }, within);
    const parent = span.parentId === undefined ? undefined : byId.get(keyOf(span.traceId, span.parentId));
    if (parent) see(calls, keyOf(nameOf(parent), nameOf(span)), { span, parent }, within);
  }
  const all = [...operations.values()].filter(({ span }) => isAbout(span.service));
  // The callee's service may be the same: then the call is work within it.
  const between = [...calls.values()].filter(({ parent, span }) => isAbout(parent.service, span.service));
  const madeBy = ({ parent }: Call): Seen => operations.get(nameOf(parent)) ?? { before: 0, after: 0 };
  return {
    new_operations: all
      .filter((one) => isNew(one, traces))
      .sort(byCount)
      .map((one) => newOperation(one, traces)),
    vanished_operations: all
      .filter((one) => hasVanished(one, traces))
      .sort(byCount)
      .map((one) => vanished(one, traces)),
    new_calls: between
      .filter((one) => isNew(one, madeBy(one)))
      .sort(byCount)
      .map(newCall),
    vanished_calls: between
      .filter((one) => hasVanished(one, madeBy(one)))
      .sort(byCount)
      .map(vanishedCall),
  };
}

const keyOf = (...parts: string[]): string => parts.join('\0');
const nameOf = ({ service, operation }: Span): string => keyOf(service, operation);

function see<One extends object>(all: Map<string, One & Seen>, key: string, one: One, within: keyof Seen): void {
  const entry = all.get(key) ?? { ...one, before: 0, after: 0 };
  entry[within]++;
  all.set(key, entry);
}

/** @param occasions how often it could have been seen */
const isNew = ({ before, after }: Seen, occasions: Seen): boolean =>
  before === 0 && after > 0 && (after / occasions.after) * occasions.before >= LEAST_EXPECTED;

const hasVanished = ({ before, after }: Seen, occasions: Seen): boolean =>
  after === 0 && before > 0 && (before / occasions.before) * occasions.after >= LEAST_EXPECTED;

const byCount = (a: Seen, b: Seen): number => b.before + b.after - a.before - a.after;

const operationOf = ({ service, operation }: Span) => ({
  service: traceName(service),
  operation: traceName(operation),
});
const title = (span: Span): string => `${traceName(span.service)} ${traceName(span.operation)}`;
const callerOf = ({ parent }: Call) => ({
  caller: traceName(parent.service),
  caller_operation: traceName(parent.operation),
});

const newOperation = ({ span, after }: Operation, traces: Seen) => ({
  ...operationOf(span),
  count: after,
  words: `${title(span)} is new: ${count(after, 'time')} in the incident, never in ${count(traces.before, 'healthy trace')}`,
});

const vanished = ({ span, before }: Operation, traces: Seen) => ({
  ...operationOf(span),
  count: before,
  words: `${title(span)} has vanished: ${count(before, 'time')} in the baseline, never in ${count(traces.after, 'trace')} of the incident`,
});

const newCall = (call: Call) => ({
  ...callerOf(call),
  ...operationOf(call.span),
  count: call.after,
  words: `${title(call.parent)} now calls ${title(call.span)}: ${count(call.after, 'time')} in the incident, never in the baseline`,
});

const vanishedCall = (call: Call) => ({
  ...callerOf(call),
  ...operationOf(call.span),
  count: call.before,
  words: `${title(call.parent)} no longer calls ${title(call.span)}: ${count(call.before, 'time')} in the baseline, never in the incident`,
});
