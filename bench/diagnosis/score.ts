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

/** 1-based place of the truth; undefined when the truth is unknown, Infinity when it is not in the ranking. */
export function rankOf(ranking: ReadonlyArray<{ service: string }>, truth: string | undefined): number | undefined {
  if (truth === undefined) return undefined;
  const index = ranking.findIndex(({ service }) => service === truth);
  return index < 0 ? Number.POSITIVE_INFINITY : index + 1;
}

/** The places of the truth in the rankings of several methods, for one case of one or more groups. */
export interface ScoredCase {
  groups: readonly string[];
  ranks: Readonly<Record<string, number | undefined>>;
}

/** A table with one line per group and method, then one over everything when there are several groups. */
export function scoreTable(scored: readonly ScoredCase[]): string {
  const names = [...new Set(scored.flatMap(({ groups }) => groups))];
  const groups = names.map((name) => ({ name, members: scored.filter((one) => one.groups.includes(name)) }));
  if (groups.length > 1) groups.push({ name: 'all', members: [...scored] });
  const lines = [row(['cases', 'method', 'n', 'top-1', 'top-3', 'Avg@5'])];
  for (const { name, members } of groups) {
    const methods = Object.keys(members[0]?.ranks ?? {});
    const unknown = members.filter(({ ranks }) => ranks[methods[0] ?? ''] === undefined).length;
    if (unknown === members.length) {
      lines.push(`${name}: ${unknown} cases ranked, the truth of none is known`);
      continue;
    }
    for (const method of methods) {
      const { cases, top1, top3, averageAt5 } = accuracyOf(members.map(({ ranks }) => ranks[method]));
      lines.push(row([name, method, String(cases), ...[top1, top3, averageAt5].map((share) => share.toFixed(2))]));
    }
    if (unknown > 0) lines.push(`${name}: ${unknown} further cases ranked without a known truth`);
  }
  return `${lines.join('\n')}\n`;
}

function row([group, method, ...figures]: string[]): string {
  return [group!.padEnd(24), method!.padEnd(10), ...figures.map((figure) => figure.padStart(6))].join(' ');
}
