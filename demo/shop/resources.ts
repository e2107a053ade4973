import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

const LAG_RESOLUTION_MS = 10;

/** Resource usage, under the names of prom-client's default metrics. */
export function resourceMetrics(register: Registry) {
  const registers = [register];
  let reported = 0;
  const delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  delays.enable();
  return {
    cpu: new Counter({
      name: 'process_cpu_seconds_total',
      help: 'CPU time used, user and system.',
      registers,
      collect() {
        const { user, system } = process.cpuUsage();
        this.inc((user + system - reported) / 1e6);
        reported = user + system;
      },
    }),
    memory: new Gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory.',
      registers,
      collect() {
        this.set(process.memoryUsage.rss());
      },
    }),
    heap: new Gauge({
      name: 'nodejs_heap_size_used_bytes',
      help: 'Heap in use.',
      registers,
      collect() {
        this.set(process.memoryUsage().heapUsed);
      },
    }),
    lag: new Gauge({
      name: 'nodejs_eventloop_lag_mean_seconds',
      help: 'Delay of the event loop since the last scrape, on average.',
      registers,
      collect() {
        // Without a sample since the last scrape the histogram returns its initial values, which are centuries.
        if (delays.count > 0) this.set(delays.mean / 1e9);
        delays.reset();
      },
    }),
  };
}
