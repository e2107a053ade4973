import { OVER_WEIGHT, stretches, type ChangeWindows } from '../change.ts';
import type { LogLine, TimeWindow } from '../types.ts';
import { DrainTree } from './drain.ts';
import { maskVariables, tokenizeMasked } from './tokens.ts';

/** How often a service logs lines of one template, incident against baseline. */
export interface TemplateComparison {
  service: string;
  level?: string;
  /** `<*>` marks variable parts. */
  template: string;
  /** One line, verbatim; from the incident if there is one. */
  example: string;
  /** Lines for every thousand lines of all services: what is written follows the traffic. */
  before: number;
  after: number;
  linesBefore: number;
  linesAfter: number;
  /** Signed, in units of what health shows by chance. */
  score: number;
  /** First line in the part of the incident that differs most, unix seconds. */
  onset?: number;
}

const BIN_SECONDS = 20;
/** The last minute of a part. */
const LAST_BINS = 3;
/** A window with fewer lines of all services says nothing about any of them. */
const LEAST_LINES = 50;
/** Templates kept at once; the least recently seen goes first. */
const MAX_TEMPLATES = 5_000;
/** A healthy period and the lines before are worth this share of each other as a reference. */
const WITHIN_INCIDENT = 0.7;

/** Variance over mean assumed of counts where there is too little to estimate it from: requests log several lines. */
const BURST_DISPERSION = 3;

interface Group {
  line: LogLine;
  /** Lines by bin. */
  counts: Map<number, number>;
  isOfIncident: boolean;
}

/**
 * Compares how often services log what. Counts are taken relative to the lines of all services at that time, because
 * logs are often kept for some minutes only: time without any line is no evidence. Without lines of the healthy period,
 * the incident is compared with its own beginning, which finds what began or ceased in it. Pure.
 */
export function compareLogs(
  lines: readonly LogLine[],
  { baseline, incident, reportedAt }: ChangeWindows,
): TemplateComparison[] {
  const volume = new Map<number, number>();
  const tree = new DrainTree<Group>(MAX_TEMPLATES, () => undefined);
  const known = new Map<string, Group>();
  const within = (at: number, { from, to }: TimeWindow): boolean => at >= from && at < to;
  for (const line of lines) {
    const isOfIncident = within(line.at, incident);
    if (!isOfIncident && !within(line.at, baseline)) continue;
    const bin = Math.floor((line.at - incident.from) / BIN_SECONDS);
    volume.set(bin, (volume.get(bin) ?? 0) + 1);
    const masked = maskVariables(line.message);
    const origin = `${line.service} ${line.level ?? ''}`;
    const key = `${origin} ${masked}`;
    let group = known.get(key);
    if (group === undefined) {
      const created = tree.add(tokenizeMasked(masked), origin, () => ({ line, counts: new Map(), isOfIncident }));
      group = created.group;
      known.set(key, group);
    }
    group.counts.set(bin, (group.counts.get(bin) ?? 0) + 1);
    if (isOfIncident && !group.isOfIncident) {
      group.line = line;
      group.isOfIncident = true;
    }
  }
  const bins = [...volume.keys()].sort((a, b) => a - b);
  const end = (incident.to - incident.from) / BIN_SECONDS;
  const sick = bins.filter((bin) => bin >= 0 && bin < end);
  const healthy = bins.filter((bin) => bin < 0 || bin >= end);
  const isReference = sum(healthy, volume) >= LEAST_LINES;
  const parts = stretches(
    sick.map((bin) => ({ from: incident.from + bin * BIN_SECONDS })),
    reportedAt,
  ).map(({ from, to, weight }) => {
    const part = sick.slice(from, to);
    if (isReference) return { part, reference: healthy, weight };
    return { part, reference: sick.slice(0, from), weight: weight * WITHIN_INCIDENT };
  });
  return tree.templates().map(({ tokens, group }) => {
    const found = strongestPart(parts, { counts: group.counts, volume }, isReference ? 1 : BURST_DISPERSION);
    const { line } = group;
    return {
      service: line.service,
      ...(line.level !== undefined && { level: line.level }),
      template: tokens.join('').trim(),
      example: line.message,
      linesBefore: sum(healthy, group.counts),
      linesAfter: sum(sick, group.counts),
      ...found,
      ...(found.onset !== undefined && { onset: incident.from + found.onset * BIN_SECONDS }),
    };
  });
}

interface Counted {
  counts: ReadonlyMap<number, number>;
  volume: ReadonlyMap<number, number>;
}

interface ComparedPart {
  reference: readonly number[];
  part: readonly number[];
  weight: number;
}

function strongestPart(
  parts: readonly ComparedPart[],
  counted: Counted,
  leastDispersion: number,
): Pick<TemplateComparison, 'before' | 'after' | 'score' | 'onset'> {
  let best = { before: Number.NaN, after: Number.NaN, score: 0, onset: undefined as number | undefined };
  for (const { reference, part, weight } of parts) {
    const lines = { reference: sum(reference, counted.volume), part: sum(part, counted.volume) };
    if (lines.reference < LEAST_LINES || lines.part < LEAST_LINES) continue;
    const before = sum(reference, counted.counts);
    const after = sum(part, counted.counts);
    const spread = Math.max(leastDispersion, dispersion(reference, counted));
    const score =
      weight *
      overWeight(part, counted, before / lines.reference, after / lines.part) *
      rateScore({ before, after, ratio: lines.part / lines.reference }, spread);
    if (Number.isNaN(best.before) || Math.abs(score) > Math.abs(best.score)) {
      best = {
        before: (1000 * before) / lines.reference,
        after: (1000 * after) / lines.part,
        score,
        onset: part.find((bin) => counted.counts.has(bin)) ?? part[0],
      };
    }
  }
  return best;
}

/** Half where the rate is back at its healthy level in the last minute. */
function overWeight(part: readonly number[], { counts, volume }: Counted, before: number, after: number): number {
  const last = part.slice(-LAST_BINS);
  if (part.length <= LAST_BINS || sum(last, volume) < LEAST_LINES) return 1;
  return (sum(last, counts) / sum(last, volume) - before) / (after - before) < 0.5 ? OVER_WEIGHT : 1;
}

/** Difference of two Poisson counts over its standard error, widened by the dispersion of the healthy one. */
function rateScore({ before, after, ratio }: { before: number; after: number; ratio: number }, spread: number): number {
  const expected = (before + 0.5) * ratio;
  return (after - expected) / Math.sqrt(spread * expected * (1 + ratio) + 1);
}

/** Variance over mean of the counts in bins, at least 1: lines come in bursts, requests in waves. */
function dispersion(bins: readonly number[], { counts, volume }: Counted): number {
  const total = sum(bins, counts);
  if (total === 0 || bins.length < 3) return 1;
  const rate = total / sum(bins, volume);
  let squares = 0;
  for (const bin of bins) {
    const expected = rate * volume.get(bin)!;
    squares += ((counts.get(bin) ?? 0) - expected) ** 2 / Math.max(expected, 0.1);
  }
  return Math.max(1, squares / (bins.length - 1));
}

function sum(bins: readonly number[], counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const bin of bins) total += counts.get(bin) ?? 0;
  return total;
}
