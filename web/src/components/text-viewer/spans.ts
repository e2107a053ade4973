/** Spans of a text, and which of them a line shows. */

export interface Span {
  /** In UTF-16 code units of the stored text. */
  start: number;
  end: number;
}

export interface Segment extends Span {
  /** Indexes of the excerpts and search hits that cover it. */
  excerpts: number[];
  hits: number[];
}

/** The spans that overlap a line. @param spans ordered by start, not nested */
function touching(spans: readonly Span[], { start, end }: Span): number[] {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  const found: number[] = [];
  for (let index = low; (spans[index]?.start ?? Infinity) < end; index++) found.push(index);
  return found;
}

const covers = (span: Span | undefined, start: number, end: number): boolean =>
  span !== undefined && span.start < end && span.end > start;

/**
 * Splits a line where spans start and end.
 * @param excerpts few, in any order, may overlap
 * @param hits many, in order, not overlapping
 */
export function segments(line: Span, excerpts: readonly (Span | undefined)[], hits: readonly Span[]): Segment[] {
  const ofLine = touching(hits, line);
  const near = [...excerpts.keys()].filter((index) => covers(excerpts[index], line.start, line.end));
  const cuts = new Set([line.start, line.end]);
  for (const span of [...near.map((index) => excerpts[index]), ...ofLine.map((index) => hits[index])]) {
    if (span === undefined) continue;
    cuts.add(Math.min(Math.max(span.start, line.start), line.end));
    cuts.add(Math.min(Math.max(span.end, line.start), line.end));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => {
    const start = sorted[index] ?? 0;
    return {
      start,
      end,
      excerpts: near.filter((excerpt) => covers(excerpts[excerpt], start, end)),
      hits: ofLine.filter((hit) => covers(hits[hit], start, end)),
    };
  });
}
