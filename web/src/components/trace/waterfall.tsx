/** A trace as a waterfall: a list for reading, with bars for looking. */
import { clsx } from 'clsx';
import { useState } from 'react';
import { formatValue } from '../chart/units.ts';
import { Badge } from '../ui/badge.tsx';
import { count } from '../ui/numbers.ts';
import { barOf, type Trace, type TraceRow } from './trace.ts';

/** Deeper spans are not indented further: on a phone nothing would be left of the line. */
const MAX_INDENT = 8;

const time = (ms: number): string => formatValue(ms, 'ms');

export function Waterfall({ trace }: { trace: Trace }) {
  const { rows, duration, spanCount } = trace;
  const failed = rows.filter((row) => row.failed).length;
  return (
    <figure aria-label="Trace waterfall">
      <figcaption className="mb-2 text-sm text-ink-soft">
        {time(duration)}, {count(spanCount, 'span')}
        {rows.length < spanCount && ` (${rows.length} shown)`}
        {failed > 0 && `, ${failed} failed`}
      </figcaption>
      <ol className="divide-y rounded-md border bg-surface text-sm">
        {rows.map((row, index) => (
          // Rows keep their order.
          // oxlint-disable-next-line react/no-array-index-key
          <Span key={index} row={row} total={duration} />
        ))}
      </ol>
      <TraceTable trace={trace} />
    </figure>
  );
}

function Span({ row, total }: { row: TraceRow; total: number }) {
  const { depth, service, operation, failed, network, hidden } = row;
  const { left, width } = barOf(row, total);
  return (
    <li className="grid grid-cols-1 gap-x-4 gap-y-1 px-3 py-1.5 sm:grid-cols-2">
      <div className="min-w-0" style={{ paddingInlineStart: `${Math.min(depth, MAX_INDENT) * 0.6}rem` }}>
        <span className="sr-only">Level {depth + 1}: </span>
        <bdi className="font-medium wrap-anywhere">{service}</bdi>{' '}
        <bdi className="wrap-anywhere text-ink-soft">{operation}</bdi> {failed && <Badge tone="bad">Failed</Badge>}
        {hidden > 0 && <span className="text-ink-soft"> {count(hidden, 'child span')} not shown</span>}
      </div>
      <div className="min-w-0">
        <div aria-hidden className="relative my-1.5 h-2 rounded-sm bg-sunken">
          <div
            className={clsx(
              'absolute inset-y-0 rounded-sm',
              failed ? 'bg-bad' : network === undefined ? 'bg-accent' : 'border-2 border-accent',
            )}
            style={{ left: `${left}%`, width: `${width}%` }}
          />
        </div>
        <p className="text-xs text-ink-soft tabular-nums">{figuresOf(row)}</p>
      </div>
    </li>
  );
}

/** "400 ms, 380 ms self time" or "431 ms, 401 ms network" */
function figuresOf({ duration, own, network }: TraceRow): string {
  if (network !== undefined) return `${time(duration)}, ${time(network)} network`;
  return own !== undefined && own < duration ? `${time(duration)}, ${time(own)} self time` : time(duration);
}

const COLUMNS = ['Service', 'Operation', 'Start', 'Duration', 'Self time', 'Network', 'Status'];
const CELL = 'px-3 py-1 text-left align-top';

/** All figures, for those who read rather than look. Rendered when opened. */
function TraceTable({ trace: { id, rows } }: { trace: Trace }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="mt-2 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit rounded py-1 text-ink-soft hover:text-ink">Show as table</summary>
      {isOpen && (
        // It scrolls within itself, by keyboard as well.
        <div
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          role="region"
          aria-label={`Spans of trace ${id}`}
          className="mt-1 max-h-80 overflow-auto rounded-md border"
        >
          <table className="w-full tabular-nums">
            <thead className="sticky top-0 bg-sunken">
              <tr>
                {COLUMNS.map((title) => (
                  <th key={title} scope="col" className={`${CELL} font-medium whitespace-nowrap`}>
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ service, operation, offset, duration, own, network, failed }, index) => (
                // oxlint-disable-next-line react/no-array-index-key
                <tr key={index} className="border-t">
                  <th scope="row" className={`${CELL} min-w-24 font-normal wrap-anywhere`}>
                    {service}
                  </th>
                  <td className={`${CELL} min-w-32 wrap-anywhere`}>{operation}</td>
                  {[offset, duration, own, network].map((ms, column) => (
                    // oxlint-disable-next-line react/no-array-index-key
                    <td key={column} className={`${CELL} whitespace-nowrap`}>
                      {ms === undefined ? '' : time(ms)}
                    </td>
                  ))}
                  <td className={CELL}>{failed ? 'Failed' : ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
