import { clsx } from 'clsx';
import type { Schema } from '../../api/client.ts';
import type { Theme } from '../../app/theme.ts';
import { valueAt, type Aligned } from './align.ts';
import { zoneOf } from './clock.ts';
import { lineStyle } from './palette.ts';
import { nameOf } from './summary.ts';
import { formatValue } from './units.ts';

export interface LegendProps {
  data: Schema<'ToolResultSeriesResponse'>;
  aligned: Aligned;
  /** Index of the hovered time. */
  cursor: number | undefined;
  hidden: ReadonlySet<number>;
  theme: Theme;
  time: (at: Date) => string;
  onToggle: (index: number) => void;
}

/** The series, their values at the cursor (or the last ones), and the shaded ranges. */
export function Legend({ data, aligned, cursor, hidden, theme, time, onToggle }: LegendProps) {
  const at = cursor ?? aligned.times.length - 1;
  const moment = new Date((aligned.times[at] ?? 0) * 1000);
  return (
    <div className="mt-2 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-soft">
        <span className="tabular-nums">
          {cursor === undefined ? 'Latest,' : 'At'} {time(moment)} {zoneOf(moment)}
        </span>
        {data.baseline && <Shade className="bg-line">Baseline</Shade>}
        {data.anomaly_window && <Shade className="border-l-2 border-bad bg-bad-soft">Anomaly</Shade>}
      </div>
      <ul className="mt-1 grid grid-cols-[repeat(auto-fill,minmax(min(15rem,100%),1fr))] gap-x-3">
        {data.series.map((series, index) => (
          // Series keep their order.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="min-w-0">
            <button
              type="button"
              aria-pressed={!hidden.has(index)}
              title={series.label.slice(0, 500)}
              onClick={() => onToggle(index)}
              className={clsx(
                'flex min-h-7 w-full items-center gap-2 rounded px-1 text-left hover:bg-sunken',
                hidden.has(index) && 'text-ink-soft line-through',
              )}
            >
              <Stroke index={index} theme={theme} isFaint={hidden.has(index)} />
              <span className="min-w-0 flex-1 truncate [unicode-bidi:isolate]">{nameOf(series)}</span>
              <span className="font-mono text-xs tabular-nums">
                {formatValue(valueAt(aligned, index, at), series.unit)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const Shade = ({ className, children }: { className: string; children: string }) => (
  <span className="flex items-center gap-1.5">
    <span aria-hidden className={clsx('inline-block h-3.5 w-5 rounded-sm', className)} /> {children}
  </span>
);

function Stroke({ index, theme, isFaint }: { index: number; theme: Theme; isFaint: boolean }) {
  const { colour, dash } = lineStyle(index, theme);
  return (
    <svg aria-hidden width="22" height="10" className={clsx('shrink-0', isFaint && 'opacity-40')}>
      <line x1="1" x2="21" y1="5" y2="5" stroke={colour} strokeWidth="2.5" strokeDasharray={dash.join(' ')} />
    </svg>
  );
}
