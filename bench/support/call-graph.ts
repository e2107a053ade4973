/** A dependency graph as large companies have them, the same at every run. */
import type { WireEdge } from '@casebook/wire';

/** Calls that go back up: enough for circles. */
const BACKWARDS = 0.005;
/** How often a call goes to where calls already go. */
const PREFERENTIAL = 0.6;

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Few services are called by many (preferential attachment, Barabási and Albert 1999); calls go down through the
 * layers, but for some that close circles.
 * @returns as many edges, each pair once; every service calls or is called
 */
export function makeCallGraph(services: number, edges: number): WireEdge[] {
  const random = randomNumbers(7);
  const pick = (): number => Math.floor(random() * services);
  const made = new Map<number, WireEdge>();
  const called: number[] = [];
  const add = (one: number, other: number): void => {
    const goesBack = random() < BACKWARDS;
    const [caller, callee] = one < other === goesBack ? [other, one] : [one, other];
    const key = caller * services + callee;
    if (caller === callee || made.has(key)) return;
    called.push(callee);
    made.set(key, edgeOf(caller, callee, random));
  };
  for (let service = 1; service < services; service++) add(Math.floor(random() * service), service);
  while (made.size < edges) {
    add(pick(), random() < PREFERENTIAL ? called[Math.floor(random() * called.length)]! : pick());
  }
  return [...made.values()];
}

function edgeOf(caller: number, callee: number, random: () => number): WireEdge {
  // From one call in a minute to hundreds a second.
  const callsPerSecond = 10 ** (random() * 4.5 - 1.8);
  const p50Seconds = 0.001 + random() * 0.1;
  const sources: WireEdge['sources'] = random() < 0.5 ? ['service-graph'] : ['istio', 'spans'];
  const stale = random() < 0.02;
  const errorRatio = random() < 0.8 ? 0 : random() * 0.1;
  const measured = { callsPerSecond, errorRatio, p50Seconds, p95Seconds: p50Seconds * 4 };
  return {
    caller: nameOf(caller),
    callee: nameOf(callee),
    ...measured,
    sources,
    seenAgoMs: stale ? 400_000 : 5_000,
    stale,
  };
}

export const nameOf = (service: number): string => `team-${service % 97}/service-${service}`;
