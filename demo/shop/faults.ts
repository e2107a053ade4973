/** What can go wrong in any service of the shop while it runs. */

export const faultKinds = ['connection-leak', 'slow-queries', 'cpu-burn', 'bad-configuration'] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Share of database connections that are never returned under `connection-leak`. */
const LEAKED = 0.3;
/** How many times longer a query takes under `slow-queries`. */
const SLOWER = 30;
/** Share of requests that burn CPU for {@link BURN_MS} under `cpu-burn`. Few and long, so that one core is enough. */
const BURNING = 0.12;
const BURN_MS = 450;
/** Share of requests that fail under `bad-configuration`. */
const FAILING = 0.5;

/** The current fault of one service, if any. */
export class Fault {
  kind: FaultKind | undefined;

  leaksConnection(): boolean {
    return this.kind === 'connection-leak' && Math.random() < LEAKED;
  }

  queryFactor(): number {
    return this.kind === 'slow-queries' ? SLOWER : 1;
  }

  isMisconfigured(): boolean {
    return this.kind === 'bad-configuration' && Math.random() < FAILING;
  }

  /** Blocks the process the way a badly written regular expression does. @returns for how long, ms; 0 if it did not */
  burn(): number {
    if (this.kind !== 'cpu-burn' || Math.random() >= BURNING) return 0;
    const began = performance.now();
    while (performance.now() - began < BURN_MS) Math.sqrt(Math.random());
    return performance.now() - began;
  }
}

/** Parses a kind of fault; `none` ends it. @returns undefined if there is no such kind */
export function faultOf(text: unknown): FaultKind | 'none' | undefined {
  return text === 'none' ? 'none' : faultKinds.find((kind) => kind === text);
}
