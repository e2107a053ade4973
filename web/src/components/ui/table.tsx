import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** Hidden on phones. */
  isMinor?: boolean;
  /** A column of controls, without a visible title. */
  isActions?: boolean;
}

export interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table that scrolls in its own box if it is too wide. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by the keyboard
    <div tabIndex={0} role="region" aria-label={label} className="overflow-x-auto rounded-lg border bg-surface">
      <table className="w-full text-left text-sm">
        <thead className="border-b bg-sunken text-ink-soft">
          <tr>
            {columns.map(({ title, isMinor, isActions }) => (
              <th key={title} scope="col" className={clsx('px-4 py-2 font-medium', isMinor && 'hidden sm:table-cell')}>
                {isActions === true ? <span className="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, isMinor, isActions }) => (
                <td
                  key={title}
                  className={clsx(
                    'px-4 py-2.5 align-top break-words',
                    isMinor && 'hidden sm:table-cell',
                    isActions && 'text-right',
                  )}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
