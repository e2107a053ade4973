/** Posts JSON over one keep-alive connection, one after the other, and prints the milliseconds of every request. */
import { Agent, request } from 'node:http';
import { programInput } from './program.ts';

export interface PostHttpInput {
  url: string;
  headers: Record<string, string>;
  bodies: unknown[];
}

export type PostHttpOutput = number[];

const { url, headers, bodies } = programInput() as PostHttpInput;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** @returns milliseconds from the call to the last byte */
function time(body: unknown): Promise<number> {
  const text = JSON.stringify(body);
  const sent = performance.now();
  return new Promise((resolve, reject) => {
    const headersToo = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const posted = request(url, { method: 'POST', headers: headersToo, agent }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - sent);
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
    });
    posted.on('error', reject);
    posted.end(text);
  });
}

const output: PostHttpOutput = [];
for (const body of bodies) output.push(await time(body));
agent.destroy();
process.stdout.write(`${JSON.stringify(output)}\n`);
