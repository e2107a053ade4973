/** Polls paths over keep-alive connections for a while, and prints how fast they were answered, as JSON. */
import autocannon from 'autocannon';
import { programInput } from './program.ts';

export interface PollHttpInput {
  url: string;
  paths: string[];
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

export interface PollHttpOutput {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Responses other than 2xx, connection errors and time-outs. */
  failed: number;
}

const { url, paths, headers, connections, seconds } = programInput() as PollHttpInput;
let client = 0;
const result = await autocannon({
  url,
  connections,
  duration: seconds,
  headers,
  requests: paths.map((path) => ({ path })),
  // Every poller begins with another path, so that they do not all ask for the same one at once.
  setupClient: (one) => {
    const shift = client++ % paths.length;
    one.setRequests([...paths.slice(shift), ...paths.slice(0, shift)].map((path) => ({ path })));
  },
});
const output: PollHttpOutput = {
  requestsPerSecond: result['2xx'] / result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  failed: result.non2xx + result.errors + result.timeouts,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
