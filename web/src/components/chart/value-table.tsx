import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { Button } from '../ui/button.tsx';
import type { Aligned } from './align.ts';
import { zoneOf } from './clock.ts';
import { nameOf, shortened } from './summary.ts';
import { formatValue } from './units.ts';

const ROWS = 100;

export interface ValueTableProps {
  data: Schema<'ToolResultSeriesResponse'>;
  aligned: Aligned;
  time: (at: Date) => string;
}

/** The same values as a table, for those who read rather than look. Rendered when opened. */
export function ValueTable({ data: { series, title }, aligned: { times, values }, time }: ValueTableProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [rows, setRows] = useState(ROWS);
  return (
    <details className="mt-2 text-sm print:hidden" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit rounded py-1 text-ink-soft hover:text-ink">Show as table</summary>
      {isOpen && (
        <>
          {/* It scrolls within itself, by keyboard as well. */}
          <div
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            role="region"
            aria-label={`Values of ${shortened(title, 80)}`}
            className="mt-1 max-h-80 overflow-auto rounded-md border"
          >
            <table className="w-full text-right tabular-nums">
              <thead className="sticky top-0 bg-sunken">
                <tr>
                  <th scope="col" className="px-3 py-1.5 text-left font-medium">
                    Time ({zoneOf(new Date((times[0] ?? 0) * 1000))})
                  </th>
                  {series.map((each, index) => (
                    // Series keep their order.
                    // oxlint-disable-next-line react/no-array-index-key
                    <th key={index} scope="col" className="max-w-48 truncate px-3 py-1.5 font-medium">
                      {nameOf(each)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {times.slice(0, rows).map((at, row) => (
                  <tr key={at} className="border-t">
                    <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap">
                      {time(new Date(at * 1000))}
                    </th>
                    {series.map(({ unit }, index) => (
                      // oxlint-disable-next-line react/no-array-index-key
                      <td key={index} className="px-3 py-1 whitespace-nowrap">
                        {values[index]?.[row] === undefined ? '' : formatValue(values[index][row], unit)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {rows < times.length && (
            <Button size="small" className="mt-2" onClick={() => setRows(rows + 5 * ROWS)}>
              Show more ({rows} of {times.length} rows shown)
            </Button>
          )}
        </>
      )}
    </details>
  );
}
