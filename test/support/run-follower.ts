/**
 * A client of a run's event stream as a browser is one: it takes a lost connection up again with Last-Event-ID, for as
 * long as the run goes on, and keeps everything it saw.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { waitUntil } from './wait-until.ts';

export interface SeenEvent {
  id: string;
  type: string;
  data: Record<string, unknown> & { step?: number; attempt?: number; text?: string };
}

export interface RunFollower {
  /** In the order of arrival, over all connections. */
  events: SeenEvent[];
  /** Connections that were accepted. */
  connections(): number;
  /** Answers that were neither a stream nor 503. */
  refusals: string[];
  /** Waits until an event was seen. */
  until(seen: (event: SeenEvent) => boolean, what: string): Promise<SeenEvent>;
  /** Resolves with the run's last event. */
  ended: Promise<void>;
  stop(): void;
}

const FINAL = new Set(['run.completed', 'run.failed', 'run.cancelled']);
const RECONNECT_MS = 100;

export function followRun(options: { url: string; headers: Record<string, string> }): RunFollower {
  const events: SeenEvent[] = [];
  const refusals: string[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  let connections = 0;

  const connect = async (): Promise<boolean> => {
    const lastId = events.at(-1)?.id;
    const resume = lastId === undefined ? {} : { 'last-event-id': lastId };
    const response = await fetch(options.url, { headers: { ...options.headers, ...resume }, signal });
    if (!response.ok || !response.body) {
      if (response.status !== 503) refusals.push(`${response.status}: ${await response.text()}`);
      return false;
    }
    connections += 1;
    const parsed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id, event, data } of parsed) {
      if (id === undefined || event === undefined) continue;
      const parsedData: SeenEvent['data'] = JSON.parse(data);
      events.push({ id, type: event, data: parsedData });
      if (FINAL.has(event)) return true;
    }
    return false;
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      if (await connect().catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  };
  return {
    events,
    refusals,
    connections: () => connections,
    until: (seen, what) => waitUntil(() => events.find(seen), { what, intervalMs: 10 }),
    ended: follow(),
    stop: () => stopping.abort(),
  };
}

/** What a stream said about one step, by the rule of clients: a higher attempt takes back the text of the lower one. */
export interface AssembledStep {
  attempt: number;
  text: string;
  thinking: string;
  completedText?: string;
}

/** Assembles the steps of a run from its events. */
export function assembleSteps(events: readonly SeenEvent[]): Map<number, AssembledStep> {
  const steps = new Map<number, AssembledStep>();
  for (const { type, data } of events) {
    const { step, attempt = 0, text = '' } = data;
    if (step === undefined) continue;
    const known = steps.get(step) ?? { attempt: 0, text: '', thinking: '' };
    steps.set(step, known);
    if (type === 'turn.started' && attempt > known.attempt) {
      Object.assign(known, { attempt, text: '', thinking: '' });
    }
    if (type === 'text.delta' && attempt === known.attempt) known.text += text;
    if (type === 'thinking.delta' && attempt === known.attempt) known.thinking += text;
    if (type === 'turn.completed') known.completedText = text;
  }
  return steps;
}
