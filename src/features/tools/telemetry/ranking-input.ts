/** What the ranker reads: metrics and calls of one source, traces and logs of it and, for live systems, of the others. */
import type { LogLine, RankingInput, Span } from '../../diagnosis/index.ts';
import { SourceError, type TelemetrySource, type TimeWindow } from '../../sources/port.ts';
import type { ToolContext } from '../tool.ts';
import { joinAll } from './series.ts';
import type { SourceWith } from './source-tool.ts';

/** Points per series and window that the ranking uses. */
const SAMPLED_POINTS = 1_000;
/** Spans and log lines per window: what the ranker compares within seconds. */
const SAMPLED_SPANS = 50_000;
const SAMPLED_LINES = 50_000;

export interface GatheredInput extends Pick<RankingInput, 'series' | 'edges' | 'spans' | 'logs'> {
  /** Kinds of evidence that are absent, and sources that did not answer. */
  notes: string[];
}

/**
 * @param periods of the incident and of health; they may overlap
 * @throws {SourceError} if the source of the metrics does not answer; other sources become notes
 */
export async function gatherRankingInput(
  source: SourceWith<'surveyMetrics'>,
  periods: readonly [survey: TimeWindow, ...others: TimeWindow[]],
  { sources, signal }: Pick<ToolContext, 'sources' | 'signal'>,
): Promise<GatheredInput> {
  const notes: string[] = [];
  const apart = disjoint(periods);
  // A recording is complete in itself; live systems keep metrics, logs and traces in different places.
  const isRecorded = ({ kind }: TelemetrySource): boolean => kind === 'recorded-incident';
  const others = isRecorded(source) ? [] : sources.list().filter((one) => one.id !== source.id && !isRecorded(one));
  const all: TelemetrySource[] = [source, ...others];
  const tolerant = async <Item>(from: TelemetrySource, ask: () => Promise<Item[]>): Promise<Item[]> => {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      notes.push(`${from.id} did not answer: ${error.message}`);
      return [];
    }
  };
  const [edges, surveys, spans, logs] = await Promise.all([
    source.dependencies && source.capabilities.includes('dependencies')
      ? source.dependencies(periods[0], { signal })
      : [],
    Promise.all(periods.map((period) => source.surveyMetrics({ ...period, maxPoints: SAMPLED_POINTS }, { signal }))),
    Promise.all(all.map((one) => tolerant(one, () => spansOf(one, apart, signal)))),
    Promise.all(all.map((one) => tolerant(one, () => linesOf(one, apart, signal)))),
  ]);
  const gathered = { spans: spans.flat(), logs: logs.flat().sort((a, b) => a.at - b.at) };
  if (gathered.spans.length === 0) notes.push('No traces: time could not be told apart between services and calls.');
  if (gathered.logs.length === 0) notes.push('No logs: new and missing lines are not part of this ranking.');
  return { series: joinAll(surveys.flat()), edges, ...gathered, notes };
}

async function spansOf(source: TelemetrySource, periods: readonly TimeWindow[], signal: AbortSignal): Promise<Span[]> {
  if (!source.sampleSpans || !source.capabilities.includes('traces')) return [];
  const found: Span[] = [];
  for (const period of periods) {
    found.push(...(await source.sampleSpans({ ...period, maxSpans: SAMPLED_SPANS }, { signal })).spans);
  }
  return found;
}

async function linesOf(
  source: TelemetrySource,
  periods: readonly TimeWindow[],
  signal: AbortSignal,
): Promise<LogLine[]> {
  if (!source.capabilities.includes('logs')) return [];
  const found: LogLine[] = [];
  for (const period of periods) {
    const page = source.sampleLogs
      ? await source.sampleLogs({ ...period, maxLines: SAMPLED_LINES }, { signal })
      : await source.searchLogs?.({ ...period, limit: SAMPLED_LINES }, { signal });
    found.push(...(page?.lines ?? []));
  }
  return found;
}

/** The same time in windows that do not overlap, ascending. */
function disjoint(periods: readonly TimeWindow[]): TimeWindow[] {
  const apart: TimeWindow[] = [];
  for (const { from, to } of periods.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(from, apart.at(-1)?.to ?? from);
    if (to > begin) apart.push({ from: begin, to });
  }
  return apart;
}
