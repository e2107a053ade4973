/** Reads a request's body, compressed or not, within limits per body and for all bodies together. */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const unzip = promisify(gunzip);

/** A shared budget for all bodies in progress. It counts bytes, not requests: slow clients hold next to none. */
export class BodyBudget {
  #free: number;
  #turn: Promise<unknown> = Promise.resolve();
  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** @throws {Refusal} 429 when the budget does not have that much left */
  take(bytes: number): void {
    if (bytes > this.#free) throw new Refusal(429, 'Too much data is being received at once.', { 'retry-after': '1' });
    this.#free -= bytes;
  }

  give(bytes: number): void {
    this.#free += bytes;
  }

  /**
   * Serializes decompression: the size of the result is unknown in advance, so only one body is decompressed at a time.
   */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * @param maxBytes maximum size, before and after decompression
 * @returns the result of `use`; the budget is released by then
 * @throws {Refusal} 400 for invalid gzip, 413 when too large, 415 for another compression, 429 when too much is in
 *   progress
 */
export async function withBody<Result>(
  request: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
  use: (body: Uint8Array) => Result,
): Promise<Result> {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new Refusal(415, `Content-Encoding ${encoding} is not supported: use gzip or none.`);
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);

  let held = 0;
  try {
    const body = await receiveBody(request, maxBytes, (bytes) => {
      budget.take(bytes);
      held += bytes;
    });
    if (encoding === 'identity') return use(body);
    return await budget.inTurn(async () => use(await decompress(body, maxBytes)));
  } finally {
    budget.give(held);
  }
}

async function receiveBody(
  request: IncomingMessage,
  maxBytes: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    hold(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

async function decompress(body: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await unzip(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(maxBytes);
    throw new Refusal(400, 'The body is not valid gzip, despite its Content-Encoding.');
  }
}

const tooLarge = (maxBytes: number): Refusal =>
  new Refusal(413, `The body is larger than ${maxBytes} bytes: send smaller batches.`);

/** A refused request, as an HTTP status. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** Extra response headers. */
  readonly headers: Record<string, string>;
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
