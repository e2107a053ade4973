/** Clients that do not read what they asked for: the API keeps nothing for them, and has it all when they read on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { anyTeam } from '../../src/db/team-filter.ts';
import { waitUntil } from '../../src/embedded/wait-until.ts';
import { ChatTurn } from '../../src/features/chats/index.ts';
import { DONE, type UiChunk } from '../../src/features/chats/stream/chunks.ts';
import { ask, taskOf } from '../features/chats/script.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { askAndFollow } from '../support/chat-follower.ts';

const MB = 1_000_000;
const READERS = 12;
/** Far more than the 4 MB that Linux takes for a connection whose other end does not read. */
const ANSWER_BYTES = 32 * MB;
/** What the API would hold if it kept for each reader what that reader has not taken. */
const STREAMED = READERS * ANSWER_BYTES;

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
  const metric = async (...names: string[]): Promise<number> => {
    const text = await (await fetch(`${url()}/metrics`)).text();
    const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    return names.reduce((sum, name) => sum + valueOf(name), 0);
  };
  /** Bytes that the API holds on to. */
  const held = async (): Promise<number> => {
    await cluster.apis[0]!.collectGarbage();
    return metric('nodejs_heap_size_used_bytes', 'nodejs_external_memory_bytes');
  };
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
  const untilStreams = (count: number): Promise<unknown> =>
    waitUntil(async () => (await metric('casebook_http_event_streams')) === count || undefined, {
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
    const grown = (await held()) - before;
    assert.ok(grown < STREAMED / 4, `${grown} bytes are held for readers of ${STREAMED}`);

    const [some, ...others] = slow;
    const read = await readOn(some!);
    assert.deepEqual(read, { digest: digestOf(answer), events: read.ids, ids: read.ids, isDone: true });
    for (const response of others) response.destroy();
    await untilStreams(0);
    const left = (await held()) - before;
    assert.ok(left < STREAMED / 16, `${left} bytes are left of streams of ${STREAMED}`);
  });
});
