/** Clients that do not read what they asked for: the API keeps little for them, and has it all when they read on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { anyTeam } from '../../src/db/team-filter.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ChatTurn } from '../../src/features/chats/index.ts';
import { DONE, type UiChunk } from '../../src/features/chats/stream/chunks.ts';
import { runStream } from '../../src/features/runs/index.ts';
import { ask, byQuestion } from '../features/chats/script.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { askAndFollow } from '../support/chat-follower.ts';

const MB = 1_000_000;
const READERS = 12;
/** Far more than the 4 MB that Linux takes for a connection whose other end does not read. */
const ANSWER_BYTES = 16 * MB;
/**
 * What the API may hold for a reader, whatever was streamed: a page of the log as text and parsed (256 kB and the event
 * that reaches it, of 16 kB here), and an event each in the frames, the response and the socket, 16 kB of room each.
 */
const MAX_PER_READER = 2 * MB;
/** How far two measurements of a process that does nothing may be apart: code that was compiled, caches, connections. */
const NOISE = 4 * MB;
/** 1/6 of what the API would hold if it kept for each reader what that reader has not taken, or what it has. */
const MAX_HELD = READERS * MAX_PER_READER + NOISE;
/**
 * Held besides when an attempt of the model turn was lost that no test has killed, as on a machine that is too busy for
 * its heartbeats: the stored words, once for all readers, while they are read also as what the database sent, in buffers
 * that grow by doubling.
 */
const HELD_WHEN_LOST = 5 * ANSWER_BYTES;

const line = 'The pool of the payment service has no free connection at this time. ';
const answer = line.repeat(Math.ceil(ANSWER_BYTES / line.length)).slice(0, ANSWER_BYTES);
/** More than is kept to be compared with another attempt, and less than a connection takes that nobody reads. */
const BEGINNING_BYTES = 2 * MB;
const whole = { text: answer, deltaCharacters: 1_000 };
/** Its second half is never said. */
const beginning = { ...whole, text: answer.slice(0, 2 * BEGINNING_BYTES) };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Read {
  digest: string;
  events: number;
  ids: number;
  isDone: boolean;
  /** How often the client was told to drop what it has. */
  resets: number;
}

/** Reads a stream to its end. */
async function readOn(response: IncomingMessage): Promise<Read> {
  let text = createHash('sha256');
  const ids = new Set<string>();
  const read = { events: 0, isDone: false, resets: 0 };
  const parser = createParser({
    onEvent({ id = '', data }) {
      ids.add(id);
      read.events += 1;
      read.isDone = data === DONE;
      if (read.isDone) return;
      const chunk: UiChunk = JSON.parse(data);
      if (chunk.type === 'text-delta') text.update(chunk.delta);
      if (chunk.type !== 'reset-step') return;
      text = createHash('sha256');
      read.resets += 1;
    },
  });
  for await (const part of response.setEncoding('utf8')) parser.feed(String(part));
  return { ...read, digest: text.digest('hex'), ids: ids.size };
}

describe('clients that read slowly', () => {
  let cluster: Cluster;
  const open: IncomingMessage[] = [];

  before(async () => {
    cluster = await startCluster({
      apis: 1,
      workers: 1,
      script: byQuestion({
        whole: [{ ...whole, hold: { gate: 'whole', at: 'start' } }],
        again: ({ attempt }) => (attempt > 0 ? whole : { ...beginning, hold: { gate: 'again', at: 'middle' } }),
      }),
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
  const streamOf = async (chatId: string): Promise<string> => {
    const turn = await cluster.database.orm.em.fork().findOneOrFail(ChatTurn, { chatId }, anyTeam);
    return runStream({ conversationId: chatId, runId: turn.id });
  };
  /**
   * The most that is held until the API has looked for every reader whether the turn has ended, and told the log: that is
   * known by a place in the stream, which the log uses up for each although it has that event.
   */
  const mostHeldUntilEndIsTold = async (chatId: string): Promise<number> => {
    const stream = await streamOf(chatId);
    const places = async (): Promise<number> => {
      const [row] = await cluster.database.orm.em.execute<{ places: number }[]>(
        `select (last_sequence - (select sequence from events where stream = s.stream and key = 'run:ended'))::int as places
         from event_streams as s where stream = ?`,
        [stream],
      );
      return row?.places ?? 0;
    };
    let most = 0;
    const isNotified = async (): Promise<true | undefined> => {
      most = Math.max(most, await held());
      return (await places()) >= READERS || undefined;
    };
    await waitUntil(isNotified, { what: 'the end, told for every reader', intervalMs: 1 });
    return Math.max(most, await held());
  };
  const untilStreams = (count: number): Promise<unknown> =>
    waitUntil(async () => (await openStreams()) === count || undefined, {
      what: `${count} open streams`,
    });

  /** A turn that many follow who read nothing of it. */
  const followSlowly = async (question: string) => {
    const asker = askAndFollow({ url, apiKey: cluster.apiKey, question: ask(question) });
    const { chatId } = await asker.start();
    asker.stop();
    const slow = await Promise.all(Array.from({ length: READERS }, () => openStream(chatId)));
    await cluster.model.waitForHold(question);
    await untilStreams(READERS);
    return { chatId, slow, before: await held() };
  };
  const em = () => cluster.database.orm.em.fork();
  const eventsOf = async (stream: string, type: string): Promise<{ count: number; bytes: number }> => {
    const [row] = await em().execute<{ count: number; bytes: number }[]>(
      'select count(*)::int as count, coalesce(sum(size), 0)::int as bytes from events where stream = ? and type = ?',
      [stream, type],
    );
    return row!;
  };
  /** @param attempts of the model turn that the test is about; more are the machine's doing */
  const checkHeld = async (chatId: string, before: number, attempts: number): Promise<void> => {
    const hasEnded = async (): Promise<true | undefined> =>
      (await em().count(ChatTurn, { chatId, status: 'completed' }, anyTeam)) === 1 || undefined;
    await waitUntil(hasEnded, { what: 'the end of the turn' });
    const grown = (await mostHeldUntilEndIsTold(chatId)) - before;
    const { count } = await eventsOf(await streamOf(chatId), 'turn.started');
    const most = MAX_HELD + (count > attempts ? HELD_WHEN_LOST : 0);
    assert.ok(grown < most, `${grown} bytes are held for readers of ${READERS * ANSWER_BYTES}, of ${count} attempts`);
  };
  const checkFreed = async (before: number): Promise<void> => {
    for (const response of open.splice(0)) response.destroy();
    await untilStreams(0);
    // The source of a stream that was closed ends once it wakes, which nothing waits for.
    const isFree = async (): Promise<true | undefined> => {
      const left = (await held()) - before;
      assert.ok(left < NOISE, `${left} bytes are left of streams of ${READERS * ANSWER_BYTES}`);
      return true;
    };
    await waitUntil(isFree, { what: 'the end of what was held' });
  };

  it('cost little memory while megabytes are streamed to them, and get every byte when they read on', async () => {
    const { chatId, slow, before } = await followSlowly('whole');
    cluster.model.release('whole');
    await checkHeld(chatId, before, 1);
    const { resets: _, ...read } = await readOn(slow[0]!);
    assert.deepEqual(read, { digest: digestOf(answer), events: read.ids, ids: read.ids, isDone: true });
    await checkFreed(before);
  });

  it('cost as little when the worker is killed and the answer begins again: it is told anew from its beginning', async () => {
    const { chatId, slow, before } = await followSlowly('again');
    const stream = await streamOf(chatId);
    const hasBegun = async (): Promise<true | undefined> =>
      (await eventsOf(stream, 'text.delta')).bytes >= BEGINNING_BYTES || undefined;
    await waitUntil(hasBegun, { what: 'the beginning of the answer' });
    const [worker] = cluster.workers;
    await worker!.kill();
    worker!.start();
    await checkHeld(chatId, before, 2);
    const read = await readOn(slow[0]!);
    assert.ok(read.resets > 0);
    assert.deepEqual([read.digest, read.isDone], [digestOf(answer), true]);
    await checkFreed(before);
  });
});
