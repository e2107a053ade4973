/** Times requests over keep-alive connections, one after the other on each, and prints the milliseconds of every one. */
import { Agent, get } from 'node:http';
import { programInput } from './program.ts';

export interface TimeHttpInput {
  url: string;
  headers: Record<string, string>;
  connections: number;
  /** For all connections together. */
  requests: number;
}

export type TimeHttpOutput = number[];

const { url, headers, connections, requests } = programInput() as TimeHttpInput;
const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** @returns milliseconds from the call to the last byte */
function time(): Promise<number> {
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { headers, agent }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - sent);
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

const output: TimeHttpOutput = [];
let left = requests;
await Promise.all(
  Array.from({ length: connections }, async () => {
    // Connection set-up is not part of the measurement.
    await time();
    while (left-- > 0) output.push(await time());
  }),
);
agent.destroy();
process.stdout.write(`${JSON.stringify(output)}\n`);
