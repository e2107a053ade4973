/** The plot itself. Loaded with the chart library when a chart is first shown. */
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import type { Schema } from '../../api/client.ts';
import type { Theme } from '../../app/theme.ts';
import { Button } from '../ui/button.tsx';
import { valueAt, type Aligned } from './align.ts';
import { plotOptions } from './plot-options.ts';
import { nameOf, shortened } from './summary.ts';
import { formatValue } from './units.ts';

export interface PlotProps {
  data: Schema<'ToolResultSeriesResponse'>;
  aligned: Aligned;
  hidden: ReadonlySet<number>;
  theme: Theme;
  height: number;
  time: (at: Date) => string;
  /** Index of the hovered time; undefined if none. */
  onCursor: (index: number | undefined) => void;
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 };

export function Plot({ data, aligned, hidden, theme, height, time, onCursor }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [index, setIndex] = useState<number>();
  const [isZoomed, setIsZoomed] = useState(false);
  const tell = useRef(onCursor);
  useEffect(() => {
    tell.current = onCursor;
  }, [onCursor]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const last = aligned.times.length - 1;
    const options = plotOptions({ data, theme, time, width: element.clientWidth, height }, element);
    options.hooks = {
      ...options.hooks,
      setCursor: [
        ({ cursor: { idx, left = -1 } }) => {
          const at = left < 0 || idx === null ? undefined : idx;
          setIndex(at);
          tell.current(at);
        },
      ],
      setScale: [
        ({ scales }, key) => {
          if (key !== 'x') return;
          const { min, max } = scales['x'] ?? {};
          setIsZoomed((min ?? -Infinity) > (aligned.times[0] ?? 0) || (max ?? Infinity) < (aligned.times[last] ?? 0));
        },
      ],
    };
    // The library accepts undefined for "no sample at this time", but its types omit that.
    const drawn = new uPlot(options, [aligned.times, ...aligned.values], element);
    plot.current = drawn;
    const observer = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      drawn.destroy();
      plot.current = undefined;
    };
  }, [data, aligned, theme, height, time]);

  useEffect(() => {
    for (const at of data.series.keys()) {
      const show = !hidden.has(at);
      if (plot.current?.series[at + 1]?.show !== show) plot.current?.setSeries(at + 1, { show });
    }
  });

  const go = (to: number): void => {
    const drawn = plot.current;
    const at = Math.min(Math.max(to, 0), aligned.times.length - 1);
    const left = drawn?.valToPos(aligned.times[at] ?? 0, 'x') ?? 0;
    drawn?.setCursor({ left, top: drawn.over.clientHeight / 2 });
  };
  const last = aligned.times.length - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step !== undefined) go(index === undefined ? (step > 0 ? 0 : last) : index + step);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(last);
    else if (event.key === 'Escape' && index !== undefined) plot.current?.setCursor({ left: -10, top: -10 });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const at = index ?? last;
  const spoken = [...data.series.entries()]
    .filter(([series]) => !hidden.has(series))
    .slice(0, 8)
    .map(([index, series]) => `${nameOf(series)} ${formatValue(valueAt(aligned, index, at), series.unit)}`);
  return (
    <div className="relative">
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={`Chart of ${shortened(data.title, 100)}: arrow keys move through time`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={`${time(new Date((aligned.times[at] ?? 0) * 1000))}: ${spoken.join(', ')}`}
        onKeyDown={onKeyDown}
        className="chart w-full min-w-0 overflow-hidden rounded"
        style={{ height }}
      />
      {isZoomed && (
        <Button
          size="small"
          className="absolute top-1 right-1"
          onClick={() => plot.current?.setScale('x', { min: aligned.times[0] ?? 0, max: aligned.times[last] ?? 1 })}
        >
          Reset zoom
        </Button>
      )}
    </div>
  );
}
