import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { formatValue } from '../chart/units.ts';
import { ROLES } from './roles.ts';
import type { Graph } from './types.ts';
import { shownName } from './words.ts';

const ROWS = 100;

export interface GraphTableProps {
  /** Of the graph. */
  label: string;
  graph: Graph;
  selected: string | undefined;
  onSelect: (name: string) => void;
}

const CELL = 'min-w-16 px-3 py-1 text-left align-top wrap-anywhere';

/** The same information as tables, for those who read rather than look. Rendered when opened. */
export function GraphTable({ graph: { services, calls }, label, selected, onSelect }: GraphTableProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="mt-2 text-sm" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="w-fit rounded py-1 text-ink-soft hover:text-ink">Show as table</summary>
      {isOpen && (
        <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
          <Rows
            of={label}
            caption="Services"
            columns={['Service', 'Role', 'Reason']}
            rows={services}
            row={({ name, role = 'related', note = '' }) => (
              <tr key={name} className="border-t">
                <th scope="row" className={`${CELL} font-normal`}>
                  <button
                    type="button"
                    aria-pressed={name === selected}
                    className="min-h-6 text-left text-accent underline aria-pressed:font-semibold"
                    onClick={() => onSelect(name)}
                  >
                    {shownName(name)}
                  </button>
                </th>
                <td className={`${CELL} whitespace-nowrap`}>{ROLES[role].word || 'Related'}</td>
                <td className={CELL}>{note === '' ? '' : shownName(note, 400)}</td>
              </tr>
            )}
          />
          <Rows
            of={label}
            caption="Calls"
            columns={['Caller', 'Callee', 'Rate', 'Errors', 'p95', '']}
            rows={calls}
            row={({ caller, callee, callsPerSecond, errorRatio, p95Seconds, stale, onFaultPath }) => (
              <tr key={JSON.stringify([caller, callee])} className="border-t">
                <td className={CELL}>{shownName(caller)}</td>
                <td className={CELL}>{shownName(callee)}</td>
                <td className={`${CELL} whitespace-nowrap`}>{formatValue(callsPerSecond, '1/s')}</td>
                <td className={CELL}>{formatValue(errorRatio, 'ratio')}</td>
                <td className={`${CELL} whitespace-nowrap`}>{formatValue(p95Seconds, 's')}</td>
                <td className={`${CELL} whitespace-nowrap`}>
                  {onFaultPath === true ? 'Fault path' : stale === true ? 'No recent calls' : ''}
                </td>
              </tr>
            )}
          />
        </div>
      )}
    </details>
  );
}

interface RowsProps<Row> {
  of: string;
  caption: string;
  columns: readonly string[];
  rows: readonly Row[];
  row: (row: Row) => React.ReactNode;
}

function Rows<Row>({ of, caption, columns, rows, row }: RowsProps<Row>) {
  const [most, setMost] = useState(ROWS);
  return (
    <div className="min-w-0">
      {/* It scrolls within itself, by keyboard as well. */}
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={`${caption}: ${of}`}
        className="max-h-80 overflow-auto rounded-md border"
      >
        <table className="w-full tabular-nums">
          <caption className="sr-only">{caption}</caption>
          <thead className="sticky top-0 bg-sunken">
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className="px-3 py-1.5 text-left font-medium">
                  {column === '' ? <span className="sr-only">Notes</span> : column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.slice(0, most).map(row)}</tbody>
        </table>
      </div>
      {most < rows.length && (
        <Button size="small" className="mt-2" onClick={() => setMost(most + 5 * ROWS)}>
          Show more ({most} of {rows.length})
        </Button>
      )}
    </div>
  );
}
