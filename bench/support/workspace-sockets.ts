/** Opens WebSockets on a workspace, writes files, and times when every socket hears of each write. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { programInput, sayReady } from './program.ts';

export interface WorkspaceSocketsInput {
  url: string;
  apiKey: string;
  sockets: number;
  /** Files to write, one after the other. */
  writes: number;
  /** How long the sockets stay open and silent first, in seconds. */
  quietSeconds: number;
}

export interface WorkspaceSocketsOutput {
  /** Of each write, in ms: from its request to its response. */
  responseMs: number[];
  /** From its request to the message on each of the sockets, over all writes. */
  messageMs: number[];
  /** From its request to the message on the last socket. */
  lastMs: number[];
  lost: number;
}

const OPENING_AT_ONCE = 50;

if (import.meta.main) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the benchmark's own input
  const { url, apiKey, sockets, writes, quietSeconds } = programInput() as WorkspaceSocketsInput;
  const headers = { 'x-api-key': apiKey };
  const heard = new Map<string, { times: number[]; all: PromiseWithResolvers<void> }>();
  const hearing = (commit: string) => {
    const one = heard.get(commit) ?? { times: [], all: Promise.withResolvers<void>() };
    heard.set(commit, one);
    return one;
  };
  let lost = 0;
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/workspace/ws`, { headers });
    const ready = Promise.withResolvers<void>();
    socket.on('message', (data: Buffer) => {
      const at = performance.now();
      const message: { type: string; commit: string } = JSON.parse(data.toString());
      if (message.type === 'ready') ready.resolve();
      if (message.type !== 'commit') return;
      const { times, all } = hearing(message.commit);
      times.push(at);
      if (times.length === sockets) all.resolve();
    });
    socket.on('close', () => (lost += 1));
    await once(socket, 'open');
    await ready.promise;
    return socket;
  };
  const opened: WebSocket[] = [];
  while (opened.length < sockets) {
    const count = Math.min(OPENING_AT_ONCE, sockets - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: count }, open))));
  }
  sayReady();
  await new Promise((resolve) => setTimeout(resolve, quietSeconds * 1_000));
  const output: WorkspaceSocketsOutput = { responseMs: [], messageMs: [], lastMs: [], lost: 0 };
  for (let i = 0; i < writes; i++) {
    const begun = performance.now();
    const response = await fetch(`${url}/api/workspace/file?path=bench/${i % 10}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ content: `${i}\n` }),
    });
    const { commit } = (await response.json()) as { commit: string };
    output.responseMs.push(performance.now() - begun);
    const { times, all } = hearing(commit);
    await all.promise;
    output.messageMs.push(...times.map((at) => at - begun));
    output.lastMs.push(Math.max(...times) - begun);
  }
  output.lost = lost;
  for (const socket of opened) socket.terminate();
  process.stdout.write(`${JSON.stringify(output)}\n`);
}
