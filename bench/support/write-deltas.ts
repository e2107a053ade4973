/** Appends deltas to the streams of chat turns at a steady pace, through the product's event log. */
import { randomUUID } from 'node:crypto';
import { DeltaPublisher, runStream } from '../../src/features/runs/events.ts';
import { createEventLog } from '../../src/platform/event-log/index.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { deltaText, paced } from './delta-text.ts';
import { programInput } from './program.ts';

export interface WriteDeltasInput {
  databaseUrl: string;
  redisUrl?: string;
  turns: { chatId: string; turnId: string }[];
  perSecond: number;
  seconds: number;
  /** Through the publisher of a model turn, which puts deltas of 60 ms into one event; otherwise each is an event. */
  gathered: boolean;
}

export interface WriteDeltasOutput {
  sent: number;
  /** Until the last of them was acknowledged. */
  seconds: number;
  processorSeconds: number;
}

const { databaseUrl, redisUrl, turns, perSecond, seconds, gathered } = programInput() as WriteDeltasInput;
const log = createEventLog({ databaseUrl, redisUrl, log: createLogger({ name: 'writer', level: 'warn' }) });
const { signal } = new AbortController();
const writers = turns.map(({ chatId, turnId }) => {
  const stream = runStream({ conversationId: chatId, runId: turnId });
  const base = { step: 1, attempt: 1, nonce: randomUUID() };
  const opening = [{ type: 'turn.started', key: `turn:1:${base.nonce}`, data: { ...base, model: 'bench' } }];
  if (gathered) {
    const publisher = new DeltaPublisher(log, stream, base, opening, signal);
    return {
      write: (text: string) => publisher.push({ kind: 'text', text }),
      end: () => publisher.end(),
    };
  }
  const appends = [log.append(stream, opening)];
  return {
    write(text: string) {
      const key = `delta:1:${base.nonce}:${appends.length}`;
      appends.push(log.append(stream, [{ type: 'text.delta', key, data: { ...base, text } }]));
    },
    end: () => Promise.all(appends),
  };
});
const began = performance.now();
let sent = 0;
await paced({ streams: turns.length, perSecond, seconds }, (stream, sequence) => {
  writers[stream]!.write(deltaText(sequence, performance.timeOrigin + performance.now()));
  sent++;
});
await Promise.all(writers.map((writer) => writer.end()));
const took = (performance.now() - began) / 1000;
await log.close();
const { user, system } = process.cpuUsage();
const output: WriteDeltasOutput = { sent, seconds: took, processorSeconds: (user + system) / 1e6 };
process.stdout.write(`${JSON.stringify(output)}\n`);
