import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Chat } from '../../../src/features/chats/index.ts';
import { ask, Chats, taskOf, type Json } from './support.ts';

const messages = [{ role: 'user', content: ask('hello') }];

describe('a request to a chat', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({
      lines: {
        hello: [{ text: 'Hello.' }],
        looked: [{ toolUses: [{ name: 'list_sources' }] }, { text: 'Nothing.' }],
      },
    });
  });
  after(() => chats?.stop());

  const count = async (): Promise<number[]> => [
    await chats.countTurns(),
    await chats.harness.database.orm.em.fork().count(Chat, {}, anyTeam),
    // A chat may be named meanwhile.
    chats.harness.model.requests.filter(({ body }) => taskOf(body) === undefined).length,
  ];
  /** That something is refused without a trace. */
  const refused = async (status: number, what: () => Promise<{ status: number; body: never }>): Promise<never> => {
    const before = await count();
    const answer = await what();
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.deepEqual(await count(), before);
    return answer.body;
  };

  describe('needs the key in the header of the interface', () => {
    const without = (headers: Record<string, string>) => async () => {
      const response = await fetch(`${chats.harness.url}/api/v1/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ messages }),
      });
      return { status: response.status, body: (await response.json()) as never };
    };

    it('and no other', async () => {
      await refused(401, without({}));
      await refused(401, without({ 'x-api-key': chats.harness.apiKey }));
      await refused(401, without({ authorization: 'Bearer cb_wrong' }));
      await refused(401, without({ authorization: `Basic ${chats.harness.apiKey}` }));
    });

    it('with the scope to write', async () => {
      const key = await chats.key('chats:read', 'investigations:write');
      const body = await refused(403, () => chats.post({ messages }, { key }));
      assert.equal(body['code'], 'insufficient_scope');
      const write = await chats.key('chats:write');
      assert.equal((await chats.post({ messages }, { key: write })).status, 200);
    });

    it('with the scope to read for everything that reads', async () => {
      const { chat_id: id } = await chats.say(ask('hello'));
      const key = await chats.key('chats:write');
      for (const path of ['/api/chat', '/api/chat/search?q=x', `/api/chat/${id}`, `/api/chat/${id}/stream`]) {
        assert.equal((await chats.fetch('GET', path, undefined, { key })).status, 403, path);
      }
      const reader = await chats.key('chats:read');
      for (const [method, path, body] of [
        ['PATCH', `/api/chat/${id}/title`, { title: 'x' }],
        ['DELETE', `/api/chat/${id}`, undefined],
        ['POST', `/api/chat/${id}/cancel`, undefined],
      ] as const) {
        assert.equal((await chats.fetch(method, path, body, { key: reader })).status, 403, path);
      }
    });
  });

  describe('is refused with 422', () => {
    const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
    const cases: [string, unknown, (string | number)[]][] = [
      ['no body', undefined, ['body']],
      ['a list', [], ['body']],
      ['no messages', {}, ['body', 'messages']],
      ['messages that are no list', { messages: 'hello' }, ['body', 'messages']],
      ['no message', { messages: [] }, ['body', 'messages']],
      ['a message that is none', { messages: ['hello'] }, ['body', 'messages', 0]],
      ['no content', { messages: [{ role: 'user' }] }, ['body', 'messages', 0, 'content']],
      ['blank content', user(' \n\t'), ['body', 'messages', 0, 'content']],
      ['empty content', user(''), ['body', 'messages', 0, 'content']],
      ['content of the wrong type', user([{ type: 'text', text: 'hello' }]), ['body', 'messages', 0, 'content']],
      ['content with NUL', user('a\0b'), ['body', 'messages', 0, 'content']],
      ['content with half a character', user('a\ud83d'), ['body', 'messages', 0, 'content']],
      ['content over the limit', user('x'.repeat(400_001)), ['body', 'messages', 0, 'content']],
      ['another role', { messages: [{ role: 'system', content: 'x' }] }, ['body', 'messages', 0, 'role']],
      ['no role', { messages: [{ content: 'x' }] }, ['body', 'messages', 0, 'role']],
      [
        'a last message that is not the user’s',
        { messages: [...messages, { role: 'assistant', content: 'x' }] },
        ['body', 'messages'],
      ],
      ['a chat_id of the wrong type', { messages, chat_id: 7 }, ['body', 'chat_id']],
      ['a model of the wrong type', { messages, model: {} }, ['body', 'model']],
      ['a model that is no name', { messages, model: 'a b\n' }, ['body', 'model']],
      ['a system prompt of the wrong type', { messages, system_prompt: ['x'] }, ['body', 'system_prompt']],
      ['side effects of the wrong type', { messages, allow_side_effects: 'yes' }, ['body', 'allow_side_effects']],
      ['an investigation that is none', { messages, investigation_id: 'x' }, ['body', 'investigation_id']],
      ['an unknown investigation', { messages, investigation_id: randomUUID() }, ['body', 'investigation_id']],
    ];
    for (const [name, body, loc] of cases) {
      it(`for ${name}`, async () => {
        const { detail } = (await refused(422, () => chats.call('POST', '/api/v1/chat', body))) as {
          detail: { loc: unknown[]; msg: string; type: string }[];
        };
        assert.ok(
          detail.some((issue) => JSON.stringify(issue.loc) === JSON.stringify(loc)),
          JSON.stringify(detail),
        );
        assert.ok(detail.every((issue) => issue.msg && issue.type && 'input' in issue));
      });
    }

    it('for an invalid query or header', async () => {
      for (const [query, headers, loc] of [
        ['?stream=maybe', {}, ['query', 'stream']],
        ['?stream=2', {}, ['query', 'stream']],
        ['?stream=true&include=everything', {}, ['query', 'include']],
        ['', { 'idempotency-key': 'x'.repeat(256) }, ['header', 'idempotency-key']],
        ['', { 'idempotency-key': 'with space' }, ['header', 'idempotency-key']],
      ] as [string, Record<string, string>, string[]][]) {
        const body = await refused(422, () => chats.call('POST', `/api/v1/chat${query}`, { messages }, { headers }));
        assert.deepEqual((body as { detail: { loc: string[] }[] }).detail[0]?.loc, loc, query);
      }
    });
  });

  describe('about a chat that is not there', () => {
    it('is a 404, whatever its id looks like', async () => {
      for (const id of [randomUUID(), 'garbage', '', "1' or '1'='1", '../../etc/passwd', '0'.repeat(36)]) {
        const body = await refused(404, () => chats.post({ messages, chat_id: id }));
        assert.deepEqual(body, { detail: 'Chat not found.', code: 'not_found' });
      }
    });

    it('is a 404 for a chat of another team, in path and in body @never-forgiven', async () => {
      const key = await chats.otherTeam();
      const { chat_id: id } = await chats.say(ask('hello'));
      await chats.settled((await chats.turns(id))[0]!.id);
      await refused(404, () => chats.post({ messages, chat_id: id }, { key }));
      const investigation = await chats.harness.investigate('Ours.');
      await chats.harness.untilEnded(investigation);
      await refused(422, () => chats.post({ messages, investigation_id: investigation }, { key }));
      await refused(404, () => chats.call('POST', '/api/chat-viz', { prompt: 'Draw.', chat_id: id }, { key }));
      await refused(404, () => chats.call('POST', '/api/chat-editor', { messages, chat_id: id }, { key }));
      for (const [method, path, body] of [
        ['GET', `/api/chat/${id}`, undefined],
        ['GET', `/api/chat/${id}/stream`, undefined],
        ['PATCH', `/api/chat/${id}/title`, { title: 'x' }],
        ['POST', `/api/chat/${id}/cancel`, undefined],
        ['DELETE', `/api/chat/${id}`, undefined],
      ] as const) {
        const unknown = await chats.call(method, path.replace(id, randomUUID()), body, { key });
        assert.deepEqual(await refused(404, () => chats.call(method, path, body, { key })), unknown.body);
      }
      assert.equal((await chats.detail(id)).messages.length, 2);
    });

    it('is a 404 for a tool result of another team @never-forgiven', async () => {
      const key = await chats.otherTeam();
      const { chat_id: id } = await chats.say(ask('looked'));
      const tool = (await chats.detail(id)).messages.at(-1)!.turn!.tool_calls[0]!.id;
      for (const toolId of [tool, randomUUID()]) {
        const drawing = { prompt: 'Draw it.', tool_id: toolId };
        await refused(404, () => chats.call('POST', '/api/chat-viz', drawing, { key }));
        await refused(404, () => chats.call('GET', `/api/charts/${toolId}`, undefined, { key }));
        await refused(404, () => chats.call('GET', `/api/tool-results/${toolId}`, undefined, { key }));
      }
    });

    it('is a 422 for an invalid id in the path', async () => {
      for (const [method, path, body] of [
        ['GET', '/api/chat/x', undefined],
        ['GET', '/api/chat/x/stream', undefined],
        ['PATCH', '/api/chat/x/title', { title: 'x' }],
        ['POST', '/api/chat/x/cancel', undefined],
        ['DELETE', '/api/chat/x', undefined],
      ] as const) {
        const { detail } = (await refused(422, () => chats.call(method, path, body))) as { detail: Json[] };
        assert.deepEqual(detail[0]?.['loc'], ['path', 'chat_id']);
      }
    });
  });
});
