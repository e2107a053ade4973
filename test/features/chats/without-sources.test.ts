/** A team that has connected nothing is told so, whatever the model answers. */
import assert from 'node:assert/strict';
import { ask, Chats, type Detail } from './support.ts';

describe('the chats of a team without a source', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({
      sources: [],
      lines: {
        guesses: [
          { text: 'I look.', toolUses: [{ name: 'list_sources', input: {} }] },
          { text: 'It is surely the pool of payment.' },
        ],
      },
    });
  });
  after(() => chats?.stop());

  const TOLD =
    /^I look\.\s+It is surely the pool of payment\.\s+\*\*No telemetry source is connected, so no cause can be found\.\*\* Connect a database or a vendor at \S+\/integrations\. Set `PROMETHEUS_URL` .*\/satellites/s;

  it('say how to connect one after the model’s words, in the answer, its stream and the chat', async () => {
    const { chat_id: id, response } = await chats.say(ask('guesses'));
    assert.match(response, TOLD);
    const { whole } = await chats.begin(ask('guesses'));
    assert.match((await whole).text, TOLD);
    const { body } = await chats.call('GET', `/api/chat/${id}`);
    const { messages } = body as Detail;
    assert.match(messages.at(-1)?.turn?.text ?? '', TOLD);
  });
});
