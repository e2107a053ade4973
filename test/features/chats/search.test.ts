import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ask, Chats, type Lines } from './support.ts';
import { fewRuns } from '../../support/few-runs.ts';

const lines: Record<string, Lines> = {
  payment: [{ text: 'The **payment** pool of db-7 was exhausted at 12:03; see https://ci.example/build/4711.' }],
  cache: [{ text: 'Der Cache von Überweisung war voll. Checkout’s latency rose.' }],
  long: [{ text: `${'filler '.repeat(3_000)}needle ${'filler '.repeat(100)}` }],
  words: [{ text: `${'W'.repeat(3_000)} ${'長'.repeat(90_000)}` }],
};

interface Hit {
  id: string;
  title: string;
  snippet: string;
  running: boolean;
}

describe('the search over chats', () => {
  let chats: Chats;
  const ids: Record<string, string> = {};
  before(async () => {
    chats = await Chats.start({ lines, tasks: { chat_title: [{}] } });
    for (const [name, question] of [
      ['payment', 'Why was the shop down?'],
      ['cache', 'Why was the bank slow?'],
      ['long', 'Say much.'],
    ] as const) {
      ids[name] = (await chats.say(ask(name, question))).chat_id;
    }
  });
  after(() => chats?.stop());

  const search = async (q: string, more = '', key?: string): Promise<{ chats: Hit[]; has_more: boolean }> => {
    const { status, body } = await chats.call('GET', `/api/chat/search?q=${encodeURIComponent(q)}${more}`, undefined, {
      key,
    });
    assert.equal(status, 200, `${q}: ${JSON.stringify(body)}`);
    return body;
  };
  const found = async (q: string): Promise<string[]> => {
    const hits = (await search(q)).chats;
    return hits.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id) ?? id);
  };

  for (const [q, names] of [
    ['payment', ['payment']],
    ['PAYMENT', ['payment']],
    ['paym', ['payment']],
    ['ayment', []],
    ['shop down', ['payment']],
    ['down shop', ['payment']],
    ['"shop down"', ['payment']],
    ['"down shop"', []],
    ['why was', ['cache', 'payment']],
    ['why was -bank', ['payment']],
    ['why -shop -bank', []],
    ['shop or bank', ['cache', 'payment']],
    ['shop bank', []],
    ['überweisung', ['cache']],
    ['Überw', ['cache']],
    ['db-7', ['payment']],
    ['12:03', ['payment']],
    ['ci.example', ['payment']],
    ['needle', ['long']],
    ['checkout', ['cache']],
    ['nowhere', []],
  ] as [string, string[]][]) {
    it(`finds with ${q}: ${names.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await found(q), names);
    });
  }

  it('shows the words where they were said', async () => {
    const [hit] = (await search('exhausted')).chats;
    assert.match(hit?.snippet ?? '', /pool of db-7 was exhausted/);
    assert.equal(hit?.running, false);
    assert.doesNotMatch(hit.snippet, /<b>/);
  });

  it('finds a title that a person gave, and a chat once', async () => {
    const id = ids['payment']!;
    await chats.call('PATCH', `/api/chat/${id}/title`, { title: 'Postmortem of payment' });
    assert.deepEqual(await found('postmortem'), ['payment']);
    assert.match((await search('postmortem')).chats[0]!.snippet, /Postmortem/);
    await chats.say(ask('payment', 'And payment again?'), { chat_id: id });
    assert.deepEqual(await found('payment'), ['payment']);
  });

  it('has pages', async () => {
    const [first, second] = [await search('why was', '&count=1'), await search('why was', '&count=1&page=2')];
    assert.deepEqual([first.has_more, second.has_more], [true, false]);
    assert.deepEqual(
      new Set([...first.chats, ...second.chats].map(({ id }) => id)),
      new Set([ids['payment'], ids['cache']]),
    );
    assert.deepEqual((await search('why was', '&count=1&page=3')).chats, []);
  });

  it('refuses what is no question', async () => {
    for (const query of ['', 'q=', 'q=%20%09', `q=${'x'.repeat(501)}`, 'q=a%00b', 'q=x&page=0', 'q=x&count=101']) {
      assert.equal((await chats.call('GET', `/api/chat/search?${query}`)).status, 422, query);
    }
  });

  it('takes any text for words, never for a query', async () => {
    const hostile = [
      `' or 1=1 --`,
      `'; drop table chats; --`,
      `':*`,
      `'a':* & !'b'`,
      `a & b | !c <-> d`,
      `((((`,
      `"unclosed`,
      `""`,
      `-`,
      `--a -"-b`,
      `\\`,
      `\\'`,
      `'\\'' ')`,
      `a\\:*`,
      `%_%`,
      `$1 ? ?? :x`,
      `\u{1f600}`,
      `http://x.y/'z')?q='1' `,
      `o'brien's`,
      `/a'b/c')/d`,
      `a'b@c.d`,
      'or',
      'or or',
      '<b>&amp;</b>',
    ];
    for (const q of hostile) await search(q);
    for (const q of [`(((('"-`, `' & !`, `%_%`, `<->`]) assert.deepEqual(await found(q), [], q);
    const em = chats.harness.database.orm.em.fork();
    assert.equal((await em.execute('select 1 from chats')).length, 3);
    const character = fc.constantFrom(
      ...`'"\\:*&|!()<->@/.?=#%_ -abc1éß漢`.split(''),
      '\u{1f600}',
      ' or ',
      '&amp;',
      '<b>',
    );
    const text = fc.array(character, { minLength: 1, maxLength: 25 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(text, async (q) => {
        if (q.trim() !== '') await search(q);
      }),
      fewRuns(60),
    );
  });

  it('stores answers that are hard to search', async () => {
    const { chat_id: id } = await chats.say(ask('words'));
    assert.deepEqual(await found('"case words"'), [id]);
  });

  it('finds nothing of another team, nothing deleted, and what is said right now @never-forgiven', async () => {
    const key = await chats.otherTeam();
    assert.deepEqual((await search('payment', '', key)).chats, []);
    const { chat_id: theirs } = await chats.say(ask('payment', 'Only ours: zebra.'), {}, { key });
    assert.deepEqual(await found('zebra'), []);
    assert.deepEqual(
      (await search('zebra', '', key)).chats.map((hit) => hit.id),
      [theirs],
    );
    const { chat_id: id } = await chats.say(ask('payment', 'Something about giraffes.'));
    assert.deepEqual(await found('giraffe'), [id]);
    await chats.settled((await chats.turns(id))[0]!.id);
    assert.equal((await chats.call('DELETE', `/api/chat/${id}`)).status, 200);
    assert.deepEqual(await found('giraffe'), []);
  });
});
