import type Koa from 'koa';
import { DependencyDown, TooManyRequests } from './errors.ts';

/** Who holds a stream open, and whether they still may. */
export interface StreamCaller {
  /** The API key's id, or the address of a caller without one. */
  id: string;
  /** Asked now and then while the stream is open: a revoked key must not go on reading. */
  mayStay: () => Promise<boolean>;
}

export interface StreamLimits {
  perCaller: number;
  /** Of one process. */
  inAll: number;
}

/** A stream costs a socket, timers and a place in the event log's tail for as long as it lives. */
const LIMITS: StreamLimits = { perCaller: 100, inAll: 5_000 };

/** When a client that was turned away may try again, in seconds. */
const RETRY_SECONDS = 10;

interface OpenStreams {
  byCaller: Map<string, number>;
  /** Each is told when the app begins to stop. */
  listeners: Set<() => void>;
}

const openOn = new WeakMap<Koa, OpenStreams>();

function streamsOf(app: Koa): OpenStreams {
  let streams = openOn.get(app);
  if (!streams) {
    streams = { byCaller: new Map(), listeners: new Set() };
    openOn.set(app, streams);
  }
  return streams;
}

/**
 * Takes a place for a long response.
 * @param onShutdown called when the app begins to stop
 * @returns gives the place back; may be called more than once
 * @throws {TooManyRequests} `too_many_streams` when the caller holds as many as one may
 * @throws {DependencyDown} `too_many_streams` when the process does
 */
export function openStream(app: Koa, callerId: string, onShutdown: () => void, limits = LIMITS): () => void {
  const { byCaller, listeners } = streamsOf(app);
  const held = byCaller.get(callerId) ?? 0;
  if (held >= limits.perCaller) {
    throw new TooManyRequests(
      RETRY_SECONDS,
      `At most ${limits.perCaller} event streams can be open at a time.`,
      'too_many_streams',
    );
  }
  if (listeners.size >= limits.inAll) {
    throw new DependencyDown('This server has as many event streams open as it can hold.', 'too_many_streams', {
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    });
  }
  // A function of its own, so that one that is given twice counts twice.
  const listener = () => onShutdown();
  listeners.add(listener);
  byCaller.set(callerId, held + 1);
  return () => {
    if (!listeners.delete(listener)) return;
    const left = (byCaller.get(callerId) ?? 1) - 1;
    if (left === 0) byCaller.delete(callerId);
    else byCaller.set(callerId, left);
  };
}

/** Tells everything that is still open on the app that it begins to stop. */
export function announceShutdown(app: Koa): void {
  for (const listener of openOn.get(app)?.listeners ?? []) listener();
}

/** How many long responses are open on the app. */
export const openStreams = (app: Koa): number => openOn.get(app)?.listeners.size ?? 0;
