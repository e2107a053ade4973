/** What log lines and metrics say about an exhausted resource, in figures. */
import { quantity } from './quantity.ts';

/** A pool with nothing left to give. */
export interface ExhaustedPool {
  of: 'connection' | 'thread';
  /** At least as many as `size`. */
  inUse: number;
  size: number;
  waiting?: number;
}

const SIZE = /\b(?:size|total|max(?:imum)?(?:[ _-]?size)?|limit|capacity)\s*[:=]?\s*(\d+)/i;
const IN_USE = /\b(?:in[ _-]?use|active|used|busy|checked[ _-]out)\s*[:=]?\s*(\d+)/i;
const WAITING = /\b(?:waiting|pending|queued|waiters)\s*[:=]?\s*(\d+)/i;
/** `10/10 connections in use`, `10 of 10` */
const OF =
  /\b(\d+)\s*(?:\/|of)\s*(\d+)\b(?=[^.;]{0,30}\b(?:connections?|threads?|workers?|slots?|in use|busy|used)\b)/i;
const ABOUT_POOLS = /\b(?:pool|connections?|threads?|workers?)\b/i;

/**
 * Reads the figures of a pool's own error, such as `(total=8, active=8, idle=0, waiting=217)`.
 * @returns undefined unless the line is about a pool and says that all of it is in use
 */
export function exhaustedPool(line: string): ExhaustedPool | undefined {
  if (!ABOUT_POOLS.test(line)) return undefined;
  const [, used, all] = OF.exec(line) ?? [];
  const inUse = Number(used ?? IN_USE.exec(line)?.[1]);
  const size = Number(all ?? SIZE.exec(line)?.[1]);
  if (!(size > 0) || !(inUse >= size)) return undefined;
  const waiting = WAITING.exec(line)?.[1];
  const of = /\bthreads?\b|\bworkers?\b/i.test(line) && !/connection/i.test(line) ? 'thread' : 'connection';
  return { of, inUse, size, ...(waiting !== undefined && { waiting: Number(waiting) }) };
}

/** `connection pool full at 10 of 10, 9 waiting` */
export function exhaustionPhrase({ of, inUse, size, waiting }: ExhaustedPool): string {
  const queue = waiting === undefined ? '' : `, ${waiting} waiting`;
  return `${of} pool full at ${Math.min(inUse, size)} of ${size}${queue}`;
}

const BLOCKED_LOOP = /\bevent ?loop\b.{0,40}\b(?:blocked|stalled|delayed|lag)\b(?:\D{0,20}(\d+(?:\.\d+)?) ?(ms|s)\b)?/i;

/** `event loop blocked for 873 ms`: a line that says so, in the words of a title. */
export function blockedLoopPhrase(line: string): string | undefined {
  const [blocked, time, unit = ''] = BLOCKED_LOOP.exec(line) ?? [];
  if (blocked === undefined) return undefined;
  return `event loop blocked${time === undefined ? '' : ` for ${quantity(Number(time), unit)}`}`;
}

/** ``The connection pool of `orders` is full: 10 of 10 connections in use, 9 requests waiting [3].`` */
export function exhaustionSentence(service: string, { of, inUse, size, waiting }: ExhaustedPool, cited = ''): string {
  const queue = waiting === undefined ? '' : `, ${waiting} ${waiting === 1 ? 'request' : 'requests'} waiting`;
  return `The ${of} pool of ${service} is full: ${Math.min(inUse, size)} of ${size} ${of}s in use${queue}${cited}.`;
}
