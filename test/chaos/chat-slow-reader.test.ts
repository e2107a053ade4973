/** Clients that do not read what they asked for: the API keeps little for them, and has it all when they read on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { anyTeam } from '../../src/db/team-filter.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { ChatTurn } from '../../src/features/chats/index.ts';
import { DONE, type UiChunk } from '../../src/features/chats/stream/chunks.ts';
import { runStream } from '../../src/features/runs/index.ts';
import { ask, taskOf } from '../features/chats/script.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { askAndFollow } from '../support/chat-follower.ts';

const MB = 1_000_000;
const READERS = 12;
/** Far more than the 4 MB that Linux takes for a connection whose other end does not read. */
const ANSWER_BYTES = 32 * MB;
/**
 * What the API may hold for a reader, whatever was streamed: a page of the log as text and parsed (256 kB and the event
 * that reaches it, of 16 kB here), and an event each in the frames, the response and the socket, 16 kB of room each.
 * When a model turn was attempted again, the words that were said before besides, until the new attempt is in line with
 * them: at most what the connection has taken, and half of an answer in all.
 */
const MOST_PER_READER = ANSWER_BYTES / 2;
/** How far two measurements of a process that does nothing may be apart: code that was compiled, caches, connections. */
const NOISE = 4 * MB;
/** Half of what the API would hold if it kept for each reader what that reader has not taken, or what it has. */
const MOST_HELD = READERS * MOST_PER_READER + NOISE;

const line = 'The pool of the payment service has no free connection at this time. ';
const answer = line.repeat(Math.ceil(ANSWER_BYTES / line.length)).slice(0, ANSWER_BYTES);
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Read {
  digest: string;
  events: number;
  ids: number;
  isDone: boolean;
}

/** Reads a stream to its end. */
async function readOn(response: IncomingMessage): Promise<Read> {
  const text = createHash('sha256');
  const ids = new Set<string>();
  const read = { events: 0, isDone: false };
  const parser = createParser({
    onEvent({ id = '', data }) {
      ids.add(id);
      read.events += 1;
      read.isDone = data === DONE;
      if (read.isDone) return;
      const chunk: UiChunk = JSON.parse(data);
      if (chunk.type === 'text-delta') text.update(chunk.delta);
    },
  });
  for await (const part of response.setEncoding('utf8')) parser.feed(String(part));
  return { ...read, digest: text.digest('hex'), ids: ids.size };
}

describe('clients that read slowly', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  const open: IncomingMessage[] = [];

  before(async () => {
    cluster = await startCluster({
      apis: 1,
      workers: 1,
      script: ({ request }) =>
        taskOf(request) === undefined
          ? { text: answer, deltaCharacters: 1_000, hold: { gate: 'long', at: 'start' } }
          : { text: 'A title' },
    });
  });
  after(async () => {
    for (const response of open) response.destroy();
    await cluster?.stop();
  });

  const url = (): string => cluster.apis[0]!.url;
  const openStreams = async (): Promise<number> => {
    const text = await (await fetch(`${url()}/metrics`)).text();
    return Number(/^casebook_http_event_streams (\S+)$/m.exec(text)?.[1]);
  };
  const held = (): Promise<number> => cluster.apis[0]!.heldBytes();
  /** Opens a stream of which nothing is read. */
  const openStream = async (chatId: string): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${cluster.apiKey}` };
    const request = get(`${url()}/api/chat/${chatId}/stream`, { headers, agent: false });
    const [response]: IncomingMessage[] = await once(request, 'response');
    assert.ok(response);
    open.push(response);
    assert.equal(response.statusCode, 200);
    return response;
  };
  /**
   * The most that is held until the API has looked for every reader whether the turn has ended, and told the log: that is
   * known by a place in the stream, which the log uses up for each although it has that event.
   */
  const mostHeldUntilEndIsTold = async (chatId: string): Promise<number> => {
    const turn = await cluster.database.orm.em.fork().findOneOrFail(ChatTurn, { chatId }, anyTeam);
    const stream = runStream({ conversationId: chatId, runId: turn.id });
    const places = async (): Promise<number> => {
      const [row] = await cluster.database.orm.em.execute<{ places: number }[]>(
        `select (last_sequence - (select sequence from events where stream = s.stream and key = 'run:ended'))::int as places
         from event_streams as s where stream = ?`,
        [stream],
      );
      return row?.places ?? 0;
    };
    let most = 0;
    const isTold = async (): Promise<true | undefined> => {
      most = Math.max(most, await held());
      return (await places()) >= READERS || undefined;
    };
    await waitUntil(isTold, { what: 'the end, told for every reader', timeoutMs: 60_000, intervalMs: 1 });
    return Math.max(most, await held());
  };
  const untilStreams = (count: number): Promise<unknown> =>
    waitUntil(async () => (await openStreams()) === count || undefined, {
      what: `${count} open streams`,
      timeoutMs: 60_000,
    });

  it('cost little memory while megabytes are streamed to them, and get every byte when they read on', async () => {
    const asker = askAndFollow({ url, apiKey: cluster.apiKey, question: ask('long') });
    const { chatId } = await asker.start();
    asker.stop();
    const slow = await Promise.all(Array.from({ length: READERS }, () => openStream(chatId)));
    await cluster.model.waitForHold('long');
    await untilStreams(READERS);
    const before = await held();

    cluster.model.release('long');
    const em = () => cluster.database.orm.em.fork();
    const hasEnded = async (): Promise<true | undefined> =>
      (await em().count(ChatTurn, { chatId, status: 'completed' }, anyTeam)) === 1 || undefined;
    await waitUntil(hasEnded, { what: 'the end of the turn', timeoutMs: 120_000 });
    const grown = (await mostHeldUntilEndIsTold(chatId)) - before;
    assert.ok(grown < MOST_HELD, `${grown} bytes are held for readers of ${READERS * ANSWER_BYTES}`);

    const [some, ...others] = slow;
    const read = await readOn(some!);
    assert.deepEqual(read, { digest: digestOf(answer), events: read.ids, ids: read.ids, isDone: true });
    for (const response of others) response.destroy();
    await untilStreams(0);
    // The source of a stream that was closed ends once it wakes, which nothing waits for.
    const isFree = async (): Promise<true | undefined> => {
      const left = (await held()) - before;
      assert.ok(left < NOISE, `${left} bytes are left of streams of ${READERS * ANSWER_BYTES}`);
      return true;
    };
    await waitUntil(isFree, { what: 'the end of what was held', timeoutMs: 20_000 });
  });
});
