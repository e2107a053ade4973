/** `dependency`: calls between services, from a live graph if the source has one, else as seen in the window. */
import { SourceError, type TelemetrySource, type TimeWindow } from '../../sources/port.ts';
import { count } from '../../tools/index.ts';
import type { SubjectOf } from '../plan/schema.ts';
import { listOf, membersOf, sourceWith, windowBefore } from './ask.ts';
import { at, digits, duration, figure, listed, near, stableName } from './figures.ts';
import { isAtFault, type CheckContext, type CheckResult, type Observation } from './port.ts';
import { evidenceOf, failed, judged } from './result.ts';

type DependencySubject = SubjectOf<'dependency'>;
type GraphSource = TelemetrySource & Required<Pick<TelemetrySource, 'dependencies'>>;

/** A call counts as missing only if it was seen before. */
const LOOKED_BACK_SECONDS = 3_600;
/** A graph not confirmed for this long says nothing about now. */
const OLDEST_GRAPH_SECONDS = 600;
const EDGES_SHOWN = 100;

interface SeenCalls {
  edges: CheckedEdge[];
  /** The list is incomplete. */
  truncated: boolean;
  isLive: boolean;
}

export async function runDependencyCheck(subject: DependencySubject, context: CheckContext): Promise<CheckResult> {
  const { sources, clock, signal } = context;
  const source = sourceWith(sources, subject.source, 'dependencies', 'dependencies');
  const now = clock.now().getTime() / 1_000;
  const window = windowBefore(now, subject.window_seconds);
  const live = await source.liveGraph?.({ signal });
  const graph = live === undefined ? undefined : readLiveGraph(live);
  const oldest = now - Math.max(subject.window_seconds, OLDEST_GRAPH_SECONDS);
  if (graph && graph.asOf < oldest)
    return failed(`the graph of ${subject.source} was last confirmed at ${at(graph.asOf)}`);
  const seen: SeenCalls = graph
    ? { edges: graph.edges, truncated: graph.truncated, isLive: true }
    : { edges: readEdges(await source.dependencies(window, { signal })), truncated: false, isLive: false };

  const chosen = seen.edges.filter((edge) => isAskedFor(edge, subject));
  const evidence = [
    evidenceOf(subject.source, `${subject.condition.type} of calls ${callName(subject)}`, EDGES_SHOWN, (most) => ({
      ...(graph ? { as_of: at(graph.asOf) } : { from: at(window.from), to: at(window.to) }),
      calls_in_graph: seen.edges.length,
      calls: chosen.slice(0, most),
    })),
  ];
  const { condition } = subject;
  const verdict: CallsVerdict =
    condition.type === 'missing'
      ? await judgeMissing(subject, seen, chosen, source, window, context)
      : judgeCalls(chosen, condition);
  if ('reason' in verdict) return failed(explained(verdict.reason, subject, seen, chosen, context), evidence);
  const notes = [
    ...(verdict.unknown ? [`${count(verdict.unknown, 'call')} without figures or recent calls`] : []),
    ...(seen.truncated ? ['the graph is truncated'] : []),
  ];
  return judged({
    observations: verdict.observations,
    evidence,
    noun: ['call', 'calls'],
    notes,
    isPartial: notes.length > 0,
  });
}

/** Calls that are no longer seen. */
async function judgeMissing(
  subject: DependencySubject,
  seen: SeenCalls,
  chosen: readonly CheckedEdge[],
  source: GraphSource,
  window: TimeWindow,
  { signal, faults }: CheckContext,
): Promise<CallsVerdict> {
  const isNamed = subject.caller !== undefined || subject.callee !== undefined;
  if (!isNamed && !seen.isLive)
    return { reason: 'name a caller or a callee: only a live graph shows which other calls are missing' };
  const gone = (edge: Ends, why: string) => {
    const subjectName = callName(edge);
    return { subject: subjectName, isFinding: true, text: `the call ${subjectName} ${why}`, service: edge.caller };
  };
  const observations = chosen.map((edge) =>
    edge.isStale
      ? gone(edge, 'was not seen recently')
      : { subject: callName(edge), isFinding: false, text: `the call ${callName(edge)} is seen`, service: edge.caller },
  );
  // However long it is missing: it was there before its finding began.
  const known = await faults(window.from);
  const missing = [...known.keys()].flatMap((name) => (isAtFault(known, name) ? (callOf(name) ?? []) : []));
  const lostBefore = missing.filter((call) => isAskedFor(call, subject) && !chosen.some(isSame(call)));
  observations.push(...lostBefore.map((call) => gone(call, 'is still not seen')));
  if (seen.isLive) {
    if (observations.length > 0) return { observations, unknown: 0 };
  } else {
    const before = { from: window.from - LOOKED_BACK_SECONDS, to: window.from };
    const earlier = readEdges(await source.dependencies(before, { signal }));
    const lost = earlier.filter((edge) => isAskedFor(edge, subject) && ![...chosen, ...lostBefore].some(isSame(edge)));
    const all = [
      ...observations,
      ...lost.map((edge) => gone(edge, `was not seen for ${duration(subject.window_seconds)}`)),
    ];
    if (all.length > 0) return { observations: all, unknown: 0 };
    seen.edges.push(...earlier);
  }
  if (seen.truncated) return { reason: 'the graph is truncated and may or may not contain this call' };
  const services = [...new Set(seen.edges.flatMap(({ caller, callee }) => [caller, callee]))];
  const stranger = [subject.caller, subject.callee].find((name) => name !== undefined && !services.includes(name));
  if (!isNamed || services.length === 0) return { reason: 'no calls were seen' };
  if (stranger !== undefined) {
    return { reason: `the graph does not know "${stranger}"; it knows ${listed(near(stranger, services))}` };
  }
  const name = callName(subject);
  return { observations: [{ subject: name, isFinding: true, text: `the call ${name} is not seen` }], unknown: 0 };
}

/** Suggests what would work instead. */
function explained(
  reason: string,
  subject: DependencySubject,
  seen: SeenCalls,
  chosen: readonly CheckedEdge[],
  { sources }: CheckContext,
): string {
  if (subject.condition.type === 'missing') return reason;
  if (!seen.isLive) {
    const others = sources.list().filter(({ liveGraph }) => typeof liveGraph === 'function');
    const instead =
      others.length > 0
        ? `these measure them: ${listed(others.map(({ id }) => id))}`
        : 'a satellite with a live graph does';
    return `${subject.source} knows calls but does not measure them; ${instead}`;
  }
  if (chosen.length > 0) return reason;
  const known = [...new Set(seen.edges.flatMap(({ caller, callee }) => [caller, callee]))];
  const named = subject.caller ?? subject.callee;
  if (known.length === 0 || named === undefined) return 'no calls were seen';
  return `no call ${callName(subject)} is known; services with calls: ${listed(near(named, known))}`;
}

type Ends = Pick<CheckedEdge, 'caller' | 'callee'>;

const isSame =
  (one: Ends) =>
  ({ caller, callee }: Ends): boolean =>
    caller === one.caller && callee === one.callee;

/** The call that a subject of the check names. */
function callOf(name: string): Ends | undefined {
  const [caller, callee, ...rest] = name.split(' -> ');
  return caller !== undefined && callee !== undefined && rest.length === 0 ? { caller, callee } : undefined;
}

const isAskedFor = (edge: Ends, { caller, callee }: DependencySubject): boolean =>
  (caller === undefined || edge.caller === caller) && (callee === undefined || edge.callee === callee);

function callName({ caller = '*', callee = '*' }: { caller?: string; callee?: string }): string {
  return `${caller} -> ${callee}`;
}

type Limit = Exclude<SubjectOf<'dependency'>['condition'], { type: 'missing' }>;

/** The judged calls, or why none could be judged. */
type CallsVerdict = { observations: Observation[]; unknown: number } | { reason: string };

/**
 * Compares each call's measurements with the limit. A call without recent traffic or without a measurement cannot be
 * judged: its figures are out of date.
 */
function judgeCalls(edges: readonly CheckedEdge[], limit: Limit): CallsVerdict {
  const observations = edges.flatMap((edge): Observation[] => {
    const value = limit.type === 'error_ratio' ? edge.errorRatio : edge.p95Seconds;
    if (value === undefined || edge.isStale) return [];
    const subject = `${edge.caller} -> ${edge.callee}`;
    const isFinding = value > limit.above;
    const said =
      limit.type === 'error_ratio'
        ? `${figure(value, 'ratio')} of the calls ${subject} fail, limit ${figure(limit.above, 'ratio')}`
        : `p95 of the calls ${subject} is ${figure(value, 's')}, limit ${figure(limit.above, 's')}`;
    const rate = edge.callsPerSecond === undefined ? '' : ` (${digits(edge.callsPerSecond)} calls/s)`;
    const unit = limit.type === 'error_ratio' ? 'ratio' : 's';
    return [{ subject, isFinding, text: said + rate, service: edge.callee, value, expected: limit.above, unit }];
  });
  const unknown = edges.length - observations.length;
  if (observations.length > 0) {
    return { observations: observations.sort((a, b) => (b.value ?? 0) - (a.value ?? 0)), unknown };
  }
  const isQuiet = edges.length > 0 && edges.every(({ isStale }) => isStale);
  return {
    reason: isQuiet ? 'no such call was seen recently' : `the graph has no ${limit.type} of these calls`,
  };
}

interface CheckedEdge {
  caller: string;
  callee: string;
  callsPerSecond?: number;
  /** 0 to 1. */
  errorRatio?: number;
  p95Seconds?: number;
  isStale: boolean;
}

const MAX_EDGES = 100_000;

/** @throws {SourceError} when nothing in the answer is a call */
function readEdges(answer: unknown): CheckedEdge[] {
  const list = listOf(answer, 'calls', MAX_EDGES);
  const edges: CheckedEdge[] = [];
  for (let index = 0; index < list.length; index++) {
    const edge = membersOf(list[index]);
    if (!edge || !isName(edge.caller) || !isName(edge.callee)) continue;
    const callsPerSecond = measured(edge.callsPerSecond);
    const errorRatio = measured(edge.errorRatio);
    const p95Seconds = measured(edge.p95Seconds);
    edges.push({
      caller: stableName(edge.caller),
      callee: stableName(edge.callee),
      ...(callsPerSecond !== undefined && { callsPerSecond }),
      ...(errorRatio !== undefined && errorRatio <= 1 && { errorRatio }),
      ...(p95Seconds !== undefined && { p95Seconds }),
      isStale: edge.stale === true,
    });
  }
  if (list.length > 0 && edges.length === 0) {
    throw new SourceError(`none of the ${list.length} calls from the source can be read`);
  }
  return edges;
}

/** @throws {SourceError} when the answer is not a graph */
function readLiveGraph(answer: unknown): { asOf: number; edges: CheckedEdge[]; truncated: boolean } {
  const graph = membersOf(answer);
  if (!graph || typeof graph.asOf !== 'number' || !Number.isFinite(graph.asOf)) {
    throw new SourceError('the source did not return a graph with a time');
  }
  return { asOf: graph.asOf, edges: readEdges(graph.edges), truncated: Boolean(graph.truncated) };
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const measured = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
