import type { DiagnosisCase } from './case.ts';

export interface ScoredCase {
  case: DiagnosisCase;
  /** 1-based place of the truth; undefined where it is unknown, Infinity where it is not ranked. */
  rank: number | undefined;
  maxZRank: number | undefined;
}

export interface Accuracy {
  cases: number;
  top1: number;
  top3: number;
  /** Mean of top-1 to top-5, the usual summary in this field. */
  averageAt5: number;
}

/** Accuracy over the cases whose truth is known; all NaN when there is none. */
export function accuracyOf(ranks: ReadonlyArray<number | undefined>): Accuracy {
  const known = ranks.filter((rank) => rank !== undefined);
  const within = (k: number): number => known.filter((rank) => rank <= k).length / known.length;
  return {
    cases: known.length,
    top1: within(1),
    top3: within(3),
    averageAt5: (within(1) + within(2) + within(3) + within(4) + within(5)) / 5,
  };
}

/** A table with one line per system and method, then one over everything when there are several systems. */
export function scoreTable(scored: readonly ScoredCase[]): string {
  const systems = [...new Set(scored.map((one) => one.case.system))];
  const groups = systems.map((system) => ({
    system,
    members: scored.filter((one) => one.case.system === system),
  }));
  if (groups.length > 1) groups.push({ system: 'all', members: [...scored] });
  const lines = [row(['system', 'method', 'n', 'top-1', 'top-3', 'Avg@5'])];
  for (const { system, members } of groups) {
    const unknown = members.filter((one) => one.rank === undefined).length;
    if (unknown === members.length) {
      lines.push(`${system}: ${unknown} cases ranked, the truth of none is known`);
      continue;
    }
    lines.push(accuracyRow(system, 'casebook', accuracyOf(members.map((one) => one.rank))));
    lines.push(accuracyRow(system, 'max-z', accuracyOf(members.map((one) => one.maxZRank))));
    if (unknown > 0) lines.push(`${system}: ${unknown} further cases ranked without a known truth`);
  }
  return `${lines.join('\n')}\n`;
}

function accuracyRow(system: string, method: string, accuracy: Accuracy): string {
  const { cases, top1, top3, averageAt5 } = accuracy;
  return row([system, method, String(cases), ...[top1, top3, averageAt5].map((share) => share.toFixed(2))]);
}

function row([system, method, ...figures]: string[]): string {
  return [system!.padEnd(18), method!.padEnd(10), ...figures.map((figure) => figure.padStart(6))].join(' ');
}
