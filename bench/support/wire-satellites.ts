/** Many satellites in one process, each with its own connection, heartbeats and answers. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import {
  CONNECT_PATH,
  SUBPROTOCOL,
  type Health,
  type Inventory,
  type SatelliteMessage,
  type ServerMessage,
} from '@casebook/wire';
import { programInput, sayReady } from './program.ts';

export interface WireSatellitesInput {
  /** Base URL of an API node. */
  url: string;
  token: string;
  /** They are called `satellite-0`, `satellite-1` and so on. */
  satellites: number;
  /** Per satellite. */
  connectors: number;
  tools: number;
  /** How long they stay once all are connected. */
  seconds: number;
}

export interface WireSatellitesOutput {
  /** Until the last one was welcomed and its first heartbeat heard. */
  connectedSeconds: number;
  /** Once all were connected. */
  heartbeats: number;
  /** From a heartbeat to its ack, of those. */
  ackMs: number[];
  /** Connections that ended before their time. */
  lost: number;
  processorSeconds: number;
}

const { url, token, satellites, connectors, tools, seconds } = programInput() as WireSatellitesInput;
/** Connections that are being made at one time. */
const AT_ONCE = 50;
/** A satellite looks at its connectors this often. */
const CHECK_MS = 15_000;

const inputSchema = {
  type: 'object',
  properties: { query: { type: 'string', description: 'What to look for.' } },
  required: ['query'],
  additionalProperties: false,
};
const inventory: Inventory = {
  version: '1.0.0',
  labels: { region: 'eu-west' },
  connectors: Array.from({ length: connectors }, (_, at) => ({
    id: `connector-${at}`,
    kind: 'prometheus',
    title: `Metrics of system ${at}`,
    operations: ['query', 'query_range'].map((name) => ({
      name,
      description: 'Runs a PromQL query.',
      inputSchema,
      tool: true,
    })),
  })),
  tools: Array.from({ length: tools }, (_, at) => ({
    server: 'runbooks',
    name: `tool_${at}`,
    description: 'Finds a runbook by its words and gives its text.',
    inputSchema,
    readOnly: true,
  })),
  omittedTools: 0,
};

const output: WireSatellitesOutput = {
  connectedSeconds: 0,
  heartbeats: 0,
  ackMs: [],
  lost: 0,
  processorSeconds: 0,
};
const sockets: WebSocket[] = [];
let counting = false;
let ending = false;

/** Resolves when its first heartbeat was heard. */
function connect(name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url.replace(/^http/u, 'ws') + CONNECT_PATH, SUBPROTOCOL, { headers });
  sockets.push(socket);
  const send = (message: SatelliteMessage): void => socket.send(JSON.stringify(message));
  const heard = Promise.withResolvers<void>();
  let beats: NodeJS.Timeout | undefined;
  let sentAt = 0;
  const checkedFrom = performance.now() - Math.random() * CHECK_MS;
  const beat = (): void => {
    const checkedAgoMs = (performance.now() - checkedFrom) % CHECK_MS;
    const health = inventory.connectors.map(({ id }): Health => ({ id, of: 'connector', status: 'ok', checkedAgoMs }));
    sentAt = performance.now();
    send({ type: 'heartbeat', sentAt: Date.now(), health });
    if (counting) output.heartbeats++;
  };
  const handle = (message: ServerMessage): void => {
    switch (message.type) {
      case 'welcome': {
        send({ type: 'inventory', inventory });
        beat();
        // Those of a real fleet were not started at the same time.
        setTimeout(() => {
          beats = setInterval(beat, message.heartbeatMs);
        }, Math.random() * message.heartbeatMs);
        break;
      }
      case 'ack': {
        if (counting) output.ackMs.push(performance.now() - sentAt);
        heard.resolve();
        break;
      }
      case 'request': {
        const text = JSON.stringify({ resultType: 'vector', result: [{ metric: {}, value: [0, '1'] }] });
        const { id } = message;
        send({ type: 'answer.part', id, index: 0, text });
        send({ type: 'answer.end', id, parts: 1, bytes: text.length, tookMs: 0 });
        break;
      }
      default:
    }
  };
  socket.on('open', () => send({ type: 'hello', name, version: '1.0.0', instance: randomUUID(), sentAt: Date.now() }));
  socket.on('message', (data: Buffer) => handle(JSON.parse(data.toString()) as ServerMessage));
  socket.on('error', (error) => heard.reject(error));
  socket.on('close', (code, reason) => {
    clearInterval(beats);
    if (!ending) output.lost++;
    heard.reject(new Error(`${name} was sent away with ${code}: ${reason.toString()}`));
  });
  return heard.promise;
}

const began = performance.now();
let next = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < satellites) await connect(`satellite-${next++}`);
  }),
);
output.connectedSeconds = (performance.now() - began) / 1_000;
counting = true;
const cpu = process.cpuUsage();
sayReady();
await sleep(seconds * 1_000);
counting = false;
ending = true;
const used = process.cpuUsage(cpu);
output.processorSeconds = (used.user + used.system) / 1e6;
process.stdout.write(`${JSON.stringify(output)}\n`);
for (const socket of sockets) socket.close();
setTimeout(() => process.exit(0), 1_000).unref();
