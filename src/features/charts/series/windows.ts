/** The time windows a result says it covers. */
import { z } from 'zod';
import { parseJson } from '../tables/json-text.ts';
import { isoOf, timeOf } from '../tables/index.ts';
import type { FoundSeries } from './series-in.ts';

const period = z
  .object({ from: z.string(), to: z.string() })
  .transform(({ from, to }) => ({ from: timeOf(from, 'iso'), to: timeOf(to, 'iso') }))
  .transform(({ from, to }) => (from !== undefined && to !== undefined && from < to ? { from, to } : null))
  .catch(null);

const periods = z.object({ window: period, baseline: period, history: period }).catch({
  window: null,
  baseline: null,
  history: null,
});

type Period = FoundSeries['window'];

/** As the shared tools and monitoring checks name them; null if the text says nothing of the kind. */
export function windowsIn(content: string): { window: Period; baseline: Period } {
  const { window, baseline, history } = periods.parse(parseJson(content));
  return { window: shown(window), baseline: shown(baseline ?? history) };
}

function shown(found: z.output<typeof period>): Period {
  return found && { from: isoOf(found.from), to: isoOf(found.to) };
}
