import { clsx } from 'clsx';
import type { Line } from './lines.ts';
import { segments, type Span } from './spans.ts';
import { visiblePieces } from './visible.ts';

export interface LineRowProps {
  line: Line;
  text: string;
  hasNumbers: boolean;
  excerpts: readonly (Span | undefined)[];
  hits: readonly Span[];
  /** Whether this is the current span. */
  isMarked: (span: Span) => boolean;
  isHit: boolean;
}

/** One line: number, text, marks. */
export function LineRow({ line, text, hasNumbers, excerpts, hits, isMarked, isHit }: LineRowProps) {
  const end = endOfWords(line, text);
  return (
    <div className="flex pr-3 pl-3">
      {hasNumbers && (
        <span aria-hidden className="w-12 shrink-0 pr-3 text-right text-ink-soft tabular-nums select-none">
          {line.number}
        </span>
      )}
      {/* Words of any direction order themselves within their line and nothing else. */}
      <div
        dir="ltr"
        className="min-w-0 flex-1 overflow-hidden wrap-anywhere whitespace-pre-wrap [unicode-bidi:isolate]"
        style={{ paddingLeft: `${line.indent * 2}ch`, minHeight: '1.25rem' }}
      >
        {segments({ start: line.start, end }, excerpts, hits).map((segment) => {
          const words = <Words key={segment.start} text={text.slice(segment.start, segment.end)} />;
          if (segment.excerpts.length === 0 && segment.hits.length === 0) return words;
          const spans = isHit ? segment.hits.map((hit) => hits[hit]) : segment.excerpts.map((each) => excerpts[each]);
          const isCurrent = spans.some((span) => span !== undefined && isMarked(span));
          return (
            <mark
              key={segment.start}
              data-current={isCurrent || undefined}
              className={clsx(
                segment.excerpts.length === 0 && 'bg-accent-soft text-accent underline',
                isCurrent && 'font-semibold outline-2 outline-accent',
              )}
            >
              {words}
            </mark>
          );
        })}
      </div>
    </div>
  );
}

/** The visible end of a line, without its line break. */
function endOfWords({ start, end }: Line, text: string): number {
  if (text[end - 1] !== '\n') return end;
  return end - 2 >= start && text[end - 2] === '\r' ? end - 2 : end - 1;
}

function Words({ text }: { text: string }) {
  return visiblePieces(text).map(({ text: shown, name }, index) =>
    name === undefined ? (
      shown
    ) : (
      // Pieces of immutable text keep their index.
      // oxlint-disable-next-line react/no-array-index-key
      <span key={index} title={name} className="mx-px rounded bg-warn-soft px-0.5 text-[0.85em] text-warn">
        {shown}
      </span>
    ),
  );
}
