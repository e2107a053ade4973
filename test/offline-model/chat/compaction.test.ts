import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createSourceCatalog } from '../../../src/features/sources/index.ts';
import { decide, startOfflineModel, type RunningServer } from '../../../packages/offline-model/index.ts';
import { createModelClient, type ModelClient } from '../../../src/platform/anthropic/index.ts';
import { assertCited } from '../support/assert-cited.ts';
import { openChat, type Chat } from '../support/run-chat.ts';

const DEMO = join(import.meta.dirname, '../../../demo/incidents');

describe('offline model: a chat whose beginning was replaced by a summary', () => {
  let server: RunningServer;
  let model: ModelClient;
  let chat: Chat;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
    chat = openChat(model, { sources: createSourceCatalog({ incidentsDir: DEMO }) });
    const question = 'Why is checkout failing?';
    const { text, calls } = await chat.ask(question);
    const evidence = calls
      .map((call) => `<evidence n="${call.evidence}" tool="${call.tool}">read</evidence>`)
      .join('\n');
    const task = `<question>\n${question}\n</question>\n${evidence}\n<answer>\n${text}\n</answer>`;
    const [block] = decide([{ role: 'user', content: `<task name="chat_summary">\n${task}\n</task>` }], [], {
      type: 'auto',
    });
    assert.ok(block?.type === 'text');
    const summary = `<summary>\nThis stands for what was said before.\n${block.text}\n</summary>`;
    chat.messages.splice(
      0,
      chat.messages.length,
      { role: 'user', content: [{ type: 'text', text: summary }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Go on.' }] },
    );
  });
  after(() => server.stop());

  it('still knows what was concluded, and what it cites is still there', async () => {
    for (const [question, said] of [
      [
        'what should we do?',
        /\*\*Next step:\*\* Roll back or correct the flag change chg-260310-05 of inventory \[14\]/,
      ],
      ['how sure are you?', /\*\*Confidence:\*\* 76 %/],
      ['why?', /\*\*Likely root cause: inventory \(connection pool\)\.\*\*/],
      ['what did you rule out?', /The last cause I named was inventory\..*\n*.*ask the question again/],
    ] as const) {
      const { text, calls } = await chat.ask(question);
      assert.match(text, said);
      assert.deepEqual(calls, []);
      assertCited(text, chat.evidence);
    }
  });

  it('still knows what `it` is, and reads anew what it needs', async () => {
    const { text, calls } = await chat.ask('which services depend on it?');
    assert.deepEqual(
      calls.map(({ tool }) => tool),
      ['list_sources', 'service_dependencies'],
    );
    assert.equal(calls[1]?.input['source'], 'incident:checkout-errors');
    assert.match(text, /\*\*inventory is called\*\* directly by: catalog/);
    const again = await chat.ask('Why is checkout failing?');
    assert.match(again.text, /\*\*Likely root cause: inventory[\s\S]*incident:checkout-errors/);
    assert.ok(again.calls.length > 10);
    assertCited(again.text, chat.evidence);
  });
});
