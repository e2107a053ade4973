/** A program that Prometheus scrapes once a second, and that has done the same work since the last time: its rates are known. */
import { Counter, Histogram, Registry } from 'prom-client';
import { listen, type RunningServer } from '@casebook/offline-model';

type Labels = Record<string, string>;

/** What happens a second. */
export interface Work {
  add(metric: string, labels: Labels, times: number): void;
  /** @param buckets upper bounds, the same each time */
  observe(metric: string, labels: Labels, value: number, times: number, buckets: number[]): void;
}

/** @param work called before each scrape; a metric has the labels with which it is first named */
export async function startExporter(work: (work: Work) => void): Promise<{ address: string; server: RunningServer }> {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const common = { help: 'Of the test', registers: [registry] };
  const doing: Work = {
    add(name, labels, times) {
      const counter = counters.get(name) ?? new Counter({ ...common, name, labelNames: Object.keys(labels) });
      counters.set(name, counter);
      counter.inc(labels, times);
    },
    observe(name, labels, value, times, buckets) {
      const known = histograms.get(name);
      const histogram = known ?? new Histogram({ ...common, name, labelNames: Object.keys(labels), buckets });
      histograms.set(name, histogram);
      for (let i = 0; i < times; i++) histogram.observe(labels, value);
    },
  };
  const server = await listen((_request, response) => {
    work(doing);
    void registry.metrics().then((text) => response.setHeader('content-type', registry.contentType).end(text));
  }, 0);
  return { address: new URL(server.url).host, server };
}
