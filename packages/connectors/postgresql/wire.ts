/** What a server may send: the client's parser takes any server for PostgreSQL, and throws, or never ends, at others. */
import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { QueryError } from '../connector.ts';

/** Before the server is ready for a query it has little to say. */
const MAX_GREETING_BYTES = 1_000_000;
const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;
const CLOSE_MS = 2_000;

const HEADER_BYTES = 5;
const [ERROR, NOTICE, READY] = Buffer.from('ENZ');

type Listener = (chunk: Buffer) => void;
interface Source {
  on(event: string, listener: Listener): unknown;
}

/** The parts of the client's connection that are not in its types. */
const connectionOf = z.object({
  connection: z.custom<{ stream: Duplex; attachListeners(stream: Source): void; end(): unknown }>(
    (value) => typeof value === 'object' && value !== null && 'attachListeners' in value,
  ),
});

/**
 * Makes a client fail, and nothing else, by what its server sends, and by a server that does not hang up.
 * @returns a function that has everything ignored that the server sends from now on
 */
export function watchWire(client: object): () => void {
  const { connection } = connectionOf.parse(client);
  const attach = connection.attachListeners.bind(connection);
  const end = connection.end.bind(connection);
  let isMuted = false;
  connection.attachListeners = (stream) => {
    const watched = (listener: Listener): Listener => {
      const check = messageChecker();
      return (chunk) => {
        if (isMuted) return;
        try {
          check(chunk);
          listener(chunk);
        } catch (error) {
          isMuted = true;
          connection.stream.destroy(error instanceof QueryError ? error : notPostgres(error));
        }
      };
    };
    attach({ on: (event, listener) => stream.on(event, event === 'data' ? watched(listener) : listener) });
  };
  connection.end = () => {
    setTimeout(() => connection.stream.destroy(), CLOSE_MS).unref();
    return end();
  };
  return () => (isMuted = true);
}

const notPostgres = (cause?: unknown): Error =>
  new Error('it does not answer as PostgreSQL does', cause === undefined ? {} : { cause });

/** Follows messages through chunks. It throws at what the parser would not survive. */
function messageChecker(): Listener {
  let header: number[] = [];
  /** Bytes of the current message that are still to come. */
  let left = 0;
  let length = 0;
  /** The last two bytes. */
  let tail: [number, number] = [0, 0];
  let isReady = false;
  let greeting = 0;

  const begin = (): void => {
    length = Buffer.from(header).readUInt32BE(1) - 4;
    if (length < 0 || (!isReady && length > MAX_GREETING_BYTES)) throw notPostgres();
    if (length > MAX_MESSAGE_BYTES)
      throw new QueryError('too_large', `A row exceeds ${MAX_MESSAGE_BYTES} bytes. Ask for fewer rows or columns.`);
    left = length;
  };
  const finish = (): void => {
    const [type] = header;
    // Fields end in a zero, and so does their list: without it, the parser reads on behind the message for ever.
    const isList = length === 1 ? tail[1] === 0 : length > 1 && tail[0] === 0 && tail[1] === 0;
    if ((type === ERROR || type === NOTICE) && !isList) throw notPostgres();
    isReady ||= type === READY;
    header = [];
  };

  return (chunk) => {
    if (!isReady) greeting += chunk.length;
    for (let at = 0; at < chunk.length;) {
      if (header.length < HEADER_BYTES) {
        header.push(chunk[at]!);
        at += 1;
        if (header.length === HEADER_BYTES) begin();
      } else {
        const taken = Math.min(left, chunk.length - at);
        at += taken;
        left -= taken;
        tail = [taken > 1 ? chunk[at - 2]! : tail[1], chunk[at - 1]!];
      }
      if (header.length === HEADER_BYTES && left === 0) finish();
    }
    if (!isReady && greeting > MAX_GREETING_BYTES) throw notPostgres();
  };
}
