/** The gaps in the part of the graph that was examined. Pure. */
import type { GraphSatellite, Unknown } from './answer.ts';
import type { CallGraph } from './call-graph.ts';

/** A graph not confirmed for this long is old, in ms: satellites confirm theirs several times a minute. */
const OLD_AFTER_MS = 120_000;
const MAX_EXAMPLES = 5;

/** What satellites could not report. */
export function unknownOfSatellites(satellites: readonly GraphSatellite[], now: Date): Unknown[] {
  if (satellites.length === 0) return [{ kind: 'no_graph', message: 'The team has no satellites, and so no graph.' }];
  return satellites.flatMap(({ name, online, asOf, truncated }): Unknown[] => {
    const state = online ? '' : ' It is offline.';
    if (!asOf) {
      return [{ kind: 'no_graph', satellite: name, message: `Satellite ${name} has not sent a graph yet.${state}` }];
    }
    const unknown: Unknown[] = [];
    const age = ago(now, asOf.getTime());
    if (!online) {
      const message = `Satellite ${name} is offline: its data is ${age} old.`;
      unknown.push({ kind: 'satellite_offline', satellite: name, message });
    } else if (now.getTime() - asOf.getTime() > OLD_AFTER_MS) {
      const message = `Satellite ${name} has not confirmed its graph for ${age}.`;
      unknown.push({ kind: 'graph_old', satellite: name, message });
    }
    if (truncated) {
      const message = `Satellite ${name} sees more edges than a graph may have: some are missing.`;
      unknown.push({ kind: 'graph_truncated', satellite: name, message });
    }
    return unknown;
  });
}

/** What was not measured on the calls among the members. @param isMember 1 for examined services */
export function unknownOfEdges(graph: CallGraph, isMember: Uint8Array, now: Date): Unknown[] {
  const { services, offsets, callees, stale, rates, seenAt } = graph;
  const staleOnes = new Examples(graph);
  const unrated = new Examples(graph);
  let [longest, shortest] = [Number.POSITIVE_INFINITY, 0];
  for (let caller = 0; caller < services; caller++) {
    if (isMember[caller] === 0) continue;
    for (let edge = offsets[caller]!; edge < offsets[caller + 1]!; edge++) {
      const isUnrated = Number.isNaN(rates[edge]!);
      if ((stale[edge] === 0 && !isUnrated) || isMember[callees[edge]!] === 0) continue;
      if (stale[edge] === 1) {
        staleOnes.add(caller, edge);
        longest = Math.min(longest, seenAt[edge]!);
        shortest = Math.max(shortest, seenAt[edge]!);
      }
      if (isUnrated) unrated.add(caller, edge);
    }
  }
  const unknown: Unknown[] = [];
  if (staleOnes.count > 0) {
    const [least, most] = [ago(now, shortest), ago(now, longest)];
    const since = least === most ? most : `${least} to ${most}`;
    const message = `${calls(staleOnes.count)} among these services not seen for ${since}: the calls may have stopped.`;
    unknown.push({ kind: 'stale_edges', message, ...staleOnes.shown() });
  }
  if (unrated.count > 0) {
    const message = `${calls(unrated.count)} among these services without a known rate: estimates assume that all work needs it.`;
    unknown.push({ kind: 'no_call_rates', message, ...unrated.shown() });
  }
  return unknown;
}

export const estimateIsLow: Unknown = {
  kind: 'estimate_low',
  message: 'Cycles of calls were not followed to the end: affected shares are a little low.',
};

class Examples {
  readonly #graph: CallGraph;
  readonly #edges: [caller: number, edge: number][] = [];
  count = 0;

  constructor(graph: CallGraph) {
    this.#graph = graph;
  }

  add(caller: number, edge: number): void {
    this.count++;
    if (this.#edges.length < MAX_EXAMPLES) this.#edges.push([caller, edge]);
  }

  shown(): Pick<Unknown, 'edges' | 'examples'> {
    const { names, callees } = this.#graph;
    const examples = this.#edges.map(([caller, edge]) => ({ caller: names[caller]!, callee: names[callees[edge]!]! }));
    return { edges: this.count, examples };
  }
}

const calls = (count: number): string => (count === 1 ? 'There is 1 edge' : `There are ${count} edges`);

/** In the largest whole unit. */
function ago(now: Date, then: number): string {
  const seconds = Math.max(0, Math.round((now.getTime() - then) / 1_000));
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  const [size, unit] = units.find(([least]) => seconds >= 2 * least) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
