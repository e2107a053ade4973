/** Clients that go away in the middle of an answer leave nothing behind, and the answer is given all the same. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, request, type IncomingMessage } from 'node:http';
import { queryObjects } from 'node:v8';
import { UiStream } from '../../src/features/chats/stream/ui-stream.ts';
import { waitUntil } from '../support/wait-until.ts';
import { ask, byQuestion } from '../features/chats/script.ts';
import { startHarness, type Harness } from '../support/harness.ts';

/** As many as one key may hold open at a time. */
const AT_ONCE = 100;
const ROUNDS = 2;
const ANSWER = 'It is the pool of the payment service, which is exhausted since noon.';

/** Waits until something was sent. */
async function shows(response: IncomingMessage, wanted: RegExp): Promise<string> {
  let text = '';
  const { promise, resolve } = Promise.withResolvers<string>();
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const found = wanted.exec(text);
    if (found) resolve(found[1] ?? '');
  });
  return promise;
}

describe('clients that leave a chat', () => {
  let harness: Harness;
  before(async () => {
    const held = [{ text: ANSWER, deltaCharacters: 4, hold: { gate: 'left', at: 'middle' as const } }];
    harness = await startHarness({ script: byQuestion({ left: held }) });
  });
  after(() => harness?.stop());

  const untilStreams = (count: number): Promise<unknown> =>
    waitUntil(
      async () => {
        const text = await (await fetch(`${harness.url}/metrics`)).text();
        return Number(/^casebook_http_event_streams (\d+)$/m.exec(text)?.[1]) === count || undefined;
      },
      { what: `${count} open streams`, intervalMs: 20 },
    );
  const timers = (): number => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
  /** A stream of which the client has seen the first words. */
  const openStream = async (chatId: string): Promise<IncomingMessage> => {
    const headers = { 'x-api-key': harness.apiKey };
    const asked = get(`${harness.url}/api/chat/${chatId}/stream`, { headers, agent: false });
    const [response]: IncomingMessage[] = await once(asked, 'response');
    assert.equal(response?.statusCode, 200);
    await shows(response, /"delta"/);
    return response;
  };

  it(`and be it ${ROUNDS * AT_ONCE} of them: no stream, timer or listener stays, and the turn completes`, async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): number => warnings.push(name);
    process.on('warning', onWarning);
    const asking = request(`${harness.url}/api/v1/chat?stream=true`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${harness.apiKey}`, 'content-type': 'application/json' },
    });
    asking.end(JSON.stringify({ messages: [{ role: 'user', content: ask('left') }] }));
    const [asker]: IncomingMessage[] = await once(asking, 'response');
    assert.ok(asker);
    const chatId = await shows(asker, /"chatId":"([^"]+)"/);
    await harness.model.waitForHold('left');
    asker.destroy();
    await untilStreams(0);

    // Of all objects there are, after the garbage was collected.
    const kept = (): number => queryObjects(UiStream, { format: 'count' });
    const before = timers();
    for (let round = 0; round < ROUNDS; round += 1) {
      const left = await Promise.all(Array.from({ length: AT_ONCE }, () => openStream(chatId)));
      await untilStreams(AT_ONCE);
      assert.ok(timers() >= before + AT_ONCE);
      assert.ok(kept() >= AT_ONCE);
      for (const response of left) response.destroy();
      await untilStreams(0);
    }
    await waitUntil(() => kept() === 0 || undefined, { what: 'the streams to be forgotten' });
    await waitUntil(() => timers() < before + 10 || undefined, { what: 'the timers to end' });
    process.off('warning', onWarning);
    assert.ok(!warnings.includes('MaxListenersExceededWarning'));

    harness.model.release('left');
    const completed = await waitUntil(
      async () => {
        const { body } = await harness.request('GET', `/api/chat/${chatId}`);
        const { messages } = body as { messages: { turn: { status: string; text: string } | null }[] };
        const turn = messages.at(-1)?.turn;
        return turn?.status === 'processing' ? undefined : turn;
      },
      { what: 'the end of the turn' },
    );
    assert.deepEqual([completed?.status, completed?.text], ['completed', ANSWER]);
    await untilStreams(0);
  });
});
