/** Series over time, with their baseline and onset. */
import { lazy, Suspense, useMemo, useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { useTheme } from '../../app/theme.ts';
import { Empty } from '../ui/states.tsx';
import { align } from './align.ts';
import { clock } from './clock.ts';
import { Legend } from './legend.tsx';
import { shortened, summaryOf } from './summary.ts';
import { ValueTable } from './value-table.tsx';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

export interface TimeSeriesChartProps {
  data: Schema<'ToolResultSeriesResponse'>;
  /** Height of the plot in pixels. */
  height?: number;
}

export function TimeSeriesChart({ data, height = 260 }: TimeSeriesChartProps) {
  const { series, title, truncated } = data;
  const theme = useTheme();
  const aligned = useMemo(() => align(series), [series]);
  const [cursor, setCursor] = useState<number>();
  const [hidden, setHidden] = useState<ReadonlySet<number>>(() => new Set());
  const { times } = aligned;
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const time = useMemo(() => clock(span), [span]);
  const summary = useMemo(() => summaryOf(series, (at) => time(new Date(at))), [series, time]);
  if (times.length === 0) return <Empty title="No samples to plot" />;

  const toggle = (index: number): void =>
    setHidden((before) => {
      const after = new Set(before);
      if (!after.delete(index)) after.add(index);
      return after;
    });
  return (
    <figure className="min-w-0">
      <figcaption className="mb-2">
        <div className="font-mono text-sm font-medium wrap-anywhere [unicode-bidi:isolate]">
          {shortened(title, 300)}
        </div>
        <p className="text-sm text-ink-soft wrap-anywhere [unicode-bidi:isolate]">
          {summary}
          {truncated && ' The chart shows part of the result.'}
        </p>
      </figcaption>
      <Suspense fallback={<div role="status" aria-label="Loading" className="rounded bg-sunken" style={{ height }} />}>
        {/* Colours are read once: another theme is another chart. */}
        <Plot
          key={theme}
          data={data}
          aligned={aligned}
          hidden={hidden}
          theme={theme}
          height={height}
          time={time}
          onCursor={setCursor}
        />
      </Suspense>
      <Legend
        data={data}
        aligned={aligned}
        cursor={cursor}
        hidden={hidden}
        theme={theme}
        time={time}
        onToggle={toggle}
      />
      <ValueTable data={data} aligned={aligned} time={time} />
    </figure>
  );
}
