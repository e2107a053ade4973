import type { BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';

/** The table of figures, one line each. `ratio` is value / baseline. */
export function figuresTable(results: readonly BenchResult[]): string {
  const rows = results.map(({ name, value, unit, baseline, ratio, target, met }) => [
    name,
    `${number(value)} ${unit}`,
    `${number(baseline.value)} ${baseline.unit}`,
    baseline.name,
    ratio >= 0.01 ? ratio.toFixed(2) : ratio.toPrecision(1),
    target ?? '',
    met === undefined ? '' : met ? 'met' : 'MISSED',
  ]);
  const notes = results.flatMap(({ name, note }) => (note === undefined ? [] : [`  ${name}: ${note}`]));
  const columns = ['figure', 'value', 'baseline', 'baseline is', 'ratio', 'target', ''];
  return [...aligned(columns, rows), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

/** A table of details, with its title. */
export function detailsTable({ title, columns, rows }: BenchTable): string {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? '-' : String(cell))));
  return [title, ...aligned(columns, cells)].join('\n');
}

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

function aligned(columns: string[], rows: string[][]): string[] {
  const all = [columns, ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd();
  return [line(columns), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)];
}
