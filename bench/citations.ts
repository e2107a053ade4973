/** The cost of finding the excerpts of a citation in 5 MB, next to parsing the same 5 MB. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createExcerptMatcher } from '../src/features/citations/index.ts';
import type { Benchmark } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { median } from './support/statistics.ts';

const CHARACTERS = 5 * 1_048_576;
const RUNS = 7;
const START = 1_772_361_720_000;
const SERVICES = ['checkout', 'cart', 'payment', 'orders', 'users'];
const TEXT =
  'At 10:42 UTC the pool of checkout was exhausted: all 20 connections were in use, 37 requests waited, and its p99 latency rose to 2.3 s [1].';
const BOUNDS = { most: 40, characters: 24_000 };

/**
 * Median times, in a thread as the API does it, against `JSON.parse` of the request that carries the result; and the
 * longest pause of the API's event loop meanwhile.
 */
export const citations: Benchmark = {
  name: 'citations',
  about: 'excerpts from tool results of 5 MB',
  async run() {
    const matcher = createExcerptMatcher();
    const results: BenchResult[] = [];
    try {
      for (const [form, content, sent] of forms()) {
        const parsed = await medianOf(async () => void JSON.parse(sent));
        const pauses = monitorEventLoopDelay({ resolution: 1 });
        pauses.enable();
        const found = await medianOf(async () => {
          const query = { content, citationId: 1, text: TEXT };
          const { excerpts } = await matcher.match('team', query, BOUNDS, new AbortController().signal);
          if (excerpts.length === 0) throw new Error(`Nothing was found in ${form}.`);
        });
        pauses.disable();
        results.push({
          name: `excerpts from 5 MB of ${form}`,
          value: Math.round(found),
          unit: 'ms',
          baseline: { name: 'JSON.parse of the same', value: Math.round(parsed * 10) / 10, unit: 'ms' },
          ratio: found / parsed,
          note: `in a thread; the event loop pauses for ${Math.round(pauses.max / 1e6)} ms at most`,
        });
      }
    } finally {
      await matcher.close();
    }
    return { results };
  },
};

/** Each with the result and the JSON that carries it. */
function forms(): [form: string, content: string, sent: string][] {
  const log = lines((index, service) => {
    const at = new Date(START + index * 250).toISOString();
    return index === 30_000
      ? `${new Date(START + 11_000).toISOString()} checkout ERROR pool exhausted (total=20, active=20, waiting=37)`
      : `${at} ${service} INFO GET /api/v1/items/${index} 200 ${20 + ((index * 31) % 170)}ms`;
  }).join('\n');
  const rows = ['time,service,p50_ms,p99_ms,errors']
    .concat(
      lines(
        (index, service) =>
          `${new Date(START + index * 1_000).toISOString()},${service},${index % 300},${index % 5_000},${index % 13}`,
      ),
    )
    .join('\n');
  const series = JSON.stringify({
    result: Array.from({ length: 400 }, (_, index) => ({
      metric: { __name__: 'latency_p99_seconds', service: SERVICES[index % 5], instance: `10.0.0.${index % 250}` },
      values: Array.from({ length: 600 }, (_point, minute) => [
        START / 1_000 + minute * 60,
        index === 200 && minute === 0 ? 2.3184 : 0.2 + ((minute * 7_919 + index) % 1_000) / 10_000,
      ]),
    })),
  });
  return [
    ['log lines', log, JSON.stringify(log)],
    ['CSV rows', rows, JSON.stringify(rows)],
    ['JSON series', series, series],
  ];
}

function lines(line: (index: number, service: string) => string): string[] {
  const made: string[] = [];
  for (let length = 0, index = 0; length < CHARACTERS; index++) {
    const next = line(index, SERVICES[index % SERVICES.length]!);
    made.push(next);
    length += next.length + 1;
  }
  return made;
}

async function medianOf(work: () => Promise<void>): Promise<number> {
  await work();
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
}
