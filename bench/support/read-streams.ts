/** Reads many event streams at once and notes of each delta when it came. */
import { Agent, get, type IncomingMessage } from 'node:http';
import { deltasIn } from './delta-text.ts';
import { programInput, sayReady } from './program.ts';

export interface ReadStreamsInput {
  streams: { url: string; headers: Record<string, string> }[];
  /** Deltas that each stream will have; numbered from 0. */
  deltas: number;
  /** Nothing more is expected after this long without any delta, in seconds. */
  quietSeconds: number;
}

export interface ReadStreamsOutput {
  received: number;
  /** Deltas that came again, or after a later one. */
  disordered: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** From the first delta to the last. */
  seconds: number;
  processorSeconds: number;
}

const { streams, deltas, quietSeconds } = programInput() as ReadStreamsInput;
const delays = new Float64Array(streams.length * deltas);
const agent = new Agent({ maxSockets: Infinity });
let received = 0;
let disordered = 0;
let first = 0;
let last = 0;

function read(response: IncomingMessage): void {
  let next = 0;
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.timeOrigin + performance.now();
    const whole = rest + text;
    const end = whole.lastIndexOf('\n\n');
    rest = whole.slice(end + 1);
    if (end < 0) return;
    for (const { sequence, at } of deltasIn(whole.slice(0, end))) {
      if (sequence < next) disordered++;
      next = Math.max(next, sequence + 1);
      delays[received++ % delays.length] = now - at;
      first ||= now;
      last = now;
    }
  });
  // Cut off by us, at the end.
  response.on('error', () => undefined);
}

const opened = streams.map(
  ({ url, headers }) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
        read(response);
        // The stream is open once its first bytes arrive.
        response.once('data', () => resolve(response));
      }).on('error', reject);
    }),
);
const responses = await Promise.all(opened);
sayReady();
const cpu = process.cpuUsage();
const deadline = (): number => (last || performance.timeOrigin + performance.now()) + quietSeconds * 1000;
let until = deadline();
while (received < delays.length && performance.timeOrigin + performance.now() < until) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  if (last > 0) until = deadline();
}
const used = process.cpuUsage(cpu);
for (const response of responses) response.destroy();
agent.destroy();
const sorted = delays.subarray(0, Math.min(received, delays.length)).toSorted();
const output: ReadStreamsOutput = {
  received,
  disordered,
  p50Ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
  p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  maxMs: sorted.at(-1) ?? Number.NaN,
  seconds: (last - first) / 1000,
  processorSeconds: (used.user + used.system) / 1e6,
};
process.stdout.write(`${JSON.stringify(output)}\n`);
