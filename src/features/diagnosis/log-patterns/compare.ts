import { OVER_WEIGHT, stretches, WITHIN_INCIDENT, type ChangeWindows } from '../change.ts';
import type { LogLine } from '../types.ts';
import { isDuring } from '../windows.ts';
import { ServiceTemplates } from './templates.ts';

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
  const templates = new ServiceTemplates<Group>();
  for (const line of lines) {
    const isOfIncident = isDuring(line.at, incident);
    if (!isOfIncident && !isDuring(line.at, baseline)) continue;
    const bin = Math.floor((line.at - incident.from) / BIN_SECONDS);
    volume.set(bin, (volume.get(bin) ?? 0) + 1);
    const group = templates.groupOf(line, () => ({ line, counts: new Map(), isOfIncident }));
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
  const parts = stretches(
    sick.map((bin) => ({ from: incident.from + bin * BIN_SECONDS })),
    reportedAt,
  );
  const timeline: Timeline = {
    healthy,
    sick,
    volume,
    healthyVolume: sum(healthy, volume),
    runningVolume: runningTotal(sick, volume),
  };
  return templates.all().map(({ template, group }) => {
    const found = strongestPart(parts, group.counts, timeline);
    const { line } = group;
    return {
      service: line.service,
      ...(line.level !== undefined && { level: line.level }),
      template,
      example: line.message,
      linesBefore: sum(healthy, group.counts),
      linesAfter: sum(sick, group.counts),
      ...found,
      ...(found.onset !== undefined && { onset: incident.from + found.onset * BIN_SECONDS }),
    };
  });
}

/** Bins of health and incident, and the lines of all services in them. */
interface Timeline {
  healthy: readonly number[];
  sick: readonly number[];
  volume: ReadonlyMap<number, number>;
  healthyVolume: number;
  /** Over `sick`, beginning with 0. */
  runningVolume: readonly number[];
}

function strongestPart(
  parts: ReturnType<typeof stretches>,
  counts: ReadonlyMap<number, number>,
  { healthy, sick, volume, healthyVolume, runningVolume }: Timeline,
): Pick<TemplateComparison, 'before' | 'after' | 'score' | 'onset'> {
  const isReference = healthyVolume >= LEAST_LINES;
  const running = runningTotal(sick, counts);
  const healthyLines = sum(healthy, counts);
  const spread = isReference ? dispersion(healthy, counts, volume) : BURST_DISPERSION;
  let best = { before: Number.NaN, after: Number.NaN, score: 0, from: 0 };
  for (const { from, to, weight } of parts) {
    const all = runningVolume[to]! - runningVolume[from]!;
    const reference = isReference ? healthyVolume : runningVolume[from]!;
    if (all < LEAST_LINES || reference < LEAST_LINES) continue;
    const before = isReference ? healthyLines : running[from]!;
    const after = running[to]! - running[from]!;
    const rates = { before: before / reference, after: after / all };
    const end = Math.max(from, to - LAST_BINS);
    const last = runningVolume[to]! - runningVolume[end]!;
    const lastRate = (running[to]! - running[end]!) / last;
    // Back at its healthy level in the last minute.
    const isOver = end > from && last >= LEAST_LINES && (lastRate - rates.before) / (rates.after - rates.before) < 0.5;
    const score =
      weight *
      (isReference ? 1 : WITHIN_INCIDENT) *
      (isOver ? OVER_WEIGHT : 1) *
      rateScore({ before, after, ratio: all / reference }, spread);
    if (Number.isNaN(best.before) || Math.abs(score) > Math.abs(best.score)) {
      best = { before: 1000 * rates.before, after: 1000 * rates.after, score, from };
    }
  }
  const { from, ...found } = best;
  const onset = sick.slice(from).find((bin) => counts.has(bin)) ?? sick[from];
  return { ...found, ...(onset !== undefined && { onset }) };
}

/** Difference of two Poisson counts over its standard error, widened by the dispersion of the healthy one. */
function rateScore({ before, after, ratio }: { before: number; after: number; ratio: number }, spread: number): number {
  const expected = (before + 0.5) * ratio;
  return (after - expected) / Math.sqrt(spread * expected * (1 + ratio) + 1);
}

/** Variance over mean of the counts in bins, at least 1: lines come in bursts, requests in waves. */
function dispersion(
  bins: readonly number[],
  counts: ReadonlyMap<number, number>,
  volume: ReadonlyMap<number, number>,
): number {
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

function runningTotal(bins: readonly number[], counts: ReadonlyMap<number, number>): number[] {
  const totals = [0];
  for (const bin of bins) totals.push(totals.at(-1)! + (counts.get(bin) ?? 0));
  return totals;
}

function sum(bins: readonly number[], counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const bin of bins) total += counts.get(bin) ?? 0;
  return total;
}
