/** The lines of a stored text, rendered only in view. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { LineRow } from './line-row.tsx';
import type { Span } from './spans.ts';
import type { Stored, StoredText } from './stored-text.ts';

/** Where to scroll. */
export interface Place extends Span {
  isHit: boolean;
}

export interface LineListProps {
  stored: Stored;
  store: StoredText;
  excerpts: readonly (Span | undefined)[];
  hits: readonly Span[];
  place: Place | undefined;
}

/** Browsers cannot scroll through more than tens of millions of pixels, so longer texts are split into parts. */
const LINES_IN_PART = 100_000;
const LINE_HEIGHT = 20;
const INDENT = 2;
const NUMBER_WIDTH = 7;

export function LineList({ stored, store, excerpts, hits, place }: LineListProps) {
  const { lines, text, isWhole } = stored;
  const box = useRef<HTMLDivElement>(null);
  const [part, setPart] = useState(0);
  const columns = useColumns(box);
  const first = part * LINES_IN_PART;
  const count = Math.min(lines.length - first, LINES_IN_PART);
  const hasNumbers = lines.length > 1 && lines.line(lines.length - 1).number !== undefined;

  // Not passed to any memoized component.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: (index) => {
      const { start, end, indent } = lines.line(first + index);
      return LINE_HEIGHT * Math.max(1, Math.ceil((end - start) / Math.max(columns - indent * INDENT, 10)));
    },
    overscan: 12,
  });
  // Measurements at another width, or of other lines, no longer hold.
  useEffect(() => {
    virtualizer.measure();
    box.current?.querySelectorAll('[data-index]').forEach(virtualizer.measureElement);
  }, [virtualizer, columns, lines, part]);

  const target = place === undefined ? undefined : lines.indexOf(place.start);
  useEffect(() => {
    if (target === undefined) return;
    const wantedPart = Math.floor(target / LINES_IN_PART);
    if (wantedPart === part) virtualizer.scrollToIndex(target - first, { align: 'center' });
    else setPart(wantedPart);
  }, [virtualizer, place, target, part, first, columns]);

  const items = virtualizer.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= count - 50 && first + count === lines.length;
  useEffect(() => {
    if (isNearEnd && !isWhole) store.want(text.length + 1);
  }, [isNearEnd, isWhole, text, store]);

  const parts = Math.ceil(lines.length / LINES_IN_PART);
  const isMarked = (span: Span): boolean => place !== undefined && span.start === place.start && span.end === place.end;
  return (
    <>
      {/* It scrolls within itself, by keyboard as well. */}
      <div
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={`Text of result ${stored.head?.evidence ?? 1}`}
        className="max-h-[min(70dvh,44rem)] min-h-10 overflow-auto overscroll-contain bg-surface py-2 font-mono text-[0.8125rem] leading-5"
        dir="ltr"
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const line = lines.line(first + index);
            return (
              <div
                key={index}
                ref={virtualizer.measureElement}
                data-index={index}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${start}px)` }}
              >
                <LineRow
                  line={line}
                  text={text}
                  hasNumbers={hasNumbers}
                  excerpts={excerpts}
                  hits={hits}
                  isMarked={isMarked}
                  isHit={place?.isHit === true}
                />
              </div>
            );
          })}
        </div>
      </div>
      {parts > 1 && (
        <div className="flex items-center justify-end gap-2 border-t px-3 py-1.5 text-sm text-ink-soft">
          Part {part + 1} of {parts}
          <Button size="small" disabled={part === 0} onClick={() => setPart(part - 1)}>
            Previous part
          </Button>
          <Button size="small" disabled={part + 1 >= parts} onClick={() => setPart(part + 1)}>
            Next part
          </Button>
        </div>
      )}
    </>
  );
}

/** How many characters fit on a line. */
function useColumns(box: { current: HTMLDivElement | null }): number {
  const [columns, setColumns] = useState(100);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const context = document.createElement('canvas').getContext('2d');
    const { fontSize, fontFamily } = getComputedStyle(element);
    if (context !== null) context.font = `${fontSize} ${fontFamily}`;
    const width = context?.measureText('0'.repeat(100)).width ?? 780;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setColumns(Math.floor((entry.contentRect.width / width) * 100) - NUMBER_WIDTH);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return columns;
}
