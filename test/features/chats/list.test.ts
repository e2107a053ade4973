import assert from 'node:assert/strict';
import { ask, Chats, type Lines } from './support.ts';

const lines: Record<string, Lines> = {
  plain: [{ text: 'Yes.' }],
  held: [{ text: 'At last.', hold: { gate: 'held', at: 'start' } }],
};

interface Listed {
  id: string;
  title: string;
  running: boolean;
  created_by_user_id: string | null;
  created_at: string;
  updated_at: string;
}

interface Page {
  chats: Listed[];
  page: number;
  count: number;
  total: number;
  total_is_exact: boolean;
  has_more: boolean;
}

describe('the list of chats', () => {
  let chats: Chats;
  /** Of the first team, in the order in which they were begun. */
  const ids: string[] = [];
  before(async () => {
    chats = await Chats.start({ lines });
    for (let n = 1; n <= 5; n += 1) ids.push((await chats.say(ask('plain', `question ${n}`))).chat_id);
  });
  after(() => chats?.stop());

  const list = async (query = '', key?: string): Promise<Page> => {
    const { status, body } = await chats.call('GET', `/api/chat${query}`, undefined, { key });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const idsOf = ({ chats: listed }: Page): string[] => listed.map(({ id }) => id);

  it('has the latest first, in pages of 20', async () => {
    const { chats: listed, ...rest } = await list();
    assert.deepEqual(rest, { page: 1, count: 20, total: 5, total_is_exact: true, has_more: false });
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.toReversed(),
    );
    assert.ok(listed.every(({ running, title }) => !running && title));
  });

  it('has pages of the size that is asked for, under both names', async () => {
    const newest = ids.toReversed();
    for (const name of ['count', 'limit']) {
      const pages = [await list(`?${name}=2`), await list(`?${name}=2&page=2`), await list(`?${name}=2&page=3`)];
      assert.deepEqual(pages.map(idsOf), [newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)]);
      assert.deepEqual(
        pages.map(({ page, count, total, has_more: more }) => [page, count, total, more]),
        [
          [1, 2, 5, true],
          [2, 2, 5, true],
          [3, 2, 5, false],
        ],
      );
    }
    assert.deepEqual(idsOf(await list('?page=4&count=2')), []);
    assert.deepEqual(idsOf(await list('?page=100000&count=100')), []);
    assert.equal((await list('?count=5')).has_more, false, 'a full last page is the last');
  });

  it('refuses invalid pages and sizes', async () => {
    for (const query of ['page=0', 'page=-1', 'page=x', 'page=1.5', 'count=0', 'count=101', 'limit=0', 'limit=101']) {
      const { status, body } = await chats.call('GET', `/api/chat?${query}`);
      assert.equal(status, 422, query);
      const [issue] = (body as { detail: { loc: string[] }[] }).detail;
      assert.deepEqual(issue?.loc, ['query', query.split('=')[0]]);
    }
    assert.equal((await chats.call('GET', '/api/chat?my_chats=perhaps')).status, 422);
  });

  it('brings a chat up with its next turn, and says that it runs', async () => {
    const [oldest] = ids;
    const { whole } = await chats.begin(ask('held'), { chat_id: oldest });
    const [first, ...others] = (await list()).chats;
    assert.deepEqual([first?.id, first?.running], [oldest, true]);
    assert.ok(others.every(({ running }) => !running));
    assert.ok(Date.parse(first!.updated_at) > Date.parse(first!.created_at));
    chats.harness.model.release('held');
    await whole;
    assert.equal((await list('?count=1')).chats[0]?.running, false);
    // Only the chat that moved has had a turn since, in the list and in the search.
    const since = `from=${first!.updated_at}`;
    const { chats: recent, total } = await list(`?${since}`);
    assert.deepEqual([recent.map(({ id }) => id), total], [[oldest], 1]);
    const found = async (query: string) => idsOf(await list(`/search?q=held&${query}`));
    assert.deepEqual([await found(since), await found('from=2100-01-01T00:00:00Z')], [[oldest], []]);
    assert.equal((await chats.call('GET', '/api/chat?from=yesterday')).status, 422);
  });

  it('has, with my_chats, what the caller began: a user with any key, a program with this one', async () => {
    const { user } = (await chats.call('GET', '/api/users/me')).body as { user: { id: string } };
    const scopes = ['chats:read', 'chats:write'];
    const made = await chats.call('POST', '/api/api-keys', { name: 'second', scopes, user_id: user.id });
    const second = (made.body as { api_key: string }).api_key;
    const [program, idle] = [await chats.key(...scopes), await chats.key(...scopes)];
    const bySecond = (await chats.say(ask('plain'), {}, { key: second })).chat_id;
    const byProgram = (await chats.say(ask('plain'), {}, { key: program })).chat_id;
    // Whoever goes on with a chat has not begun it.
    await chats.say(ask('plain'), { chat_id: bySecond }, { key: program });

    const all = new Set([...ids, bySecond, byProgram]);
    for (const key of [undefined, second, program, idle]) assert.deepEqual(new Set(idsOf(await list('', key))), all);
    const mine = new Set([...ids, bySecond]);
    assert.deepEqual(new Set(idsOf(await list('?my_chats=true'))), mine);
    assert.deepEqual(new Set(idsOf(await list('?my_chats=true', second))), mine);
    assert.deepEqual(await list('?my_chats=true', program).then(idsOf), [byProgram]);
    const none = await list('?my_chats=true', idle);
    assert.deepEqual([none.chats, none.total], [[], 0]);
    assert.equal((await list('?my_chats=true', second)).total, mine.size);
    const listed = (await list()).chats;
    assert.equal(listed.find(({ id }) => id === byProgram)?.created_by_user_id, null);
    assert.equal(listed.find(({ id }) => id === bySecond)?.created_by_user_id, user.id);
  });

  it('has nothing of other teams @never-forgiven', async () => {
    const key = await chats.otherTeam();
    assert.deepEqual((await list('', key)).chats, []);
    const { chat_id: theirs } = await chats.say(ask('plain'), {}, { key });
    assert.deepEqual(idsOf(await list('', key)), [theirs]);
    assert.ok(!idsOf(await list('?count=100')).includes(theirs));
  });

  it('counts up to 1,000', async () => {
    const key = await chats.otherTeam();
    const { chat_id: id } = await chats.say(ask('plain'), {}, { key });
    const em = chats.harness.database.orm.em.fork();
    const copy = (most: number) =>
      em.execute(
        `insert into chats select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid()))).*
         from chats c, generate_series(1, ?) where c.id = ?`,
        [most, id],
      );
    await copy(999);
    const thousand = await list('', key);
    assert.deepEqual([thousand.total, thousand.total_is_exact, thousand.has_more], [1_000, true, true]);
    await copy(2);
    const more = await list('?page=51', key);
    assert.deepEqual([more.total, more.total_is_exact, more.chats.length], [1_000, false, 2]);
  });

  it('says what can be asked of it to everybody', async () => {
    const response = await fetch(`${chats.harness.url}/api/chat`, { method: 'OPTIONS' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('allow'), 'GET, OPTIONS');
    assert.deepEqual(await response.json(), { methods: ['GET', 'OPTIONS'] });
    assert.equal((await fetch(`${chats.harness.url}/api/chat`, { method: 'POST' })).status, 405);
  });
});
