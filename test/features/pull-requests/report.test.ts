import assert from 'node:assert/strict';
import { CodeHostError, type CodeHost } from '@casebook/connectors';
import { anyTeam } from '../../../src/db/team-filter.ts';
import type { CodeHosts } from '../../../src/features/code-hosts/index.ts';
import { Team } from '../../../src/features/identity/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startHarness, type Harness } from '../../support/harness.ts';
import { byTurn, type Script, type ScriptedStep } from '../../support/scripted-model/index.ts';
import { listSources, reportInput } from '../../support/scripts.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';
import { folderCodeHosts, folderRepository, type FolderRepository } from './code-hosts.ts';
import { fakeHost, type FakeHost } from './host.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies are whatever the server sent
type Json = any;

describe('pull requests: from a run', () => {
  let harness: Harness;
  let shop: FolderRepository;
  let host: FakeHost;
  let bad: string;
  let script: Script;
  before(async () => {
    const codeHosts: CodeHosts = {
      ...folderCodeHosts([]),
      hostOf: async () => host as unknown as CodeHost,
      find: (em, name) => folderCodeHosts([shop]).find(em, name),
      list: async () => (shop === undefined ? [] : [shop.row]),
      mirrorOf: (row) => folderCodeHosts([shop]).mirrorOf(row),
    };
    harness = await startHarness({
      script: (context) => (typeof script === 'function' ? script(context) : { text: 'nothing' }),
      sources: [sampleIncident()],
      codeHosts,
    });
    const [team] = await harness.database.orm.em.fork().find(Team, {}, anyTeam);
    shop = folderRepository(team!.id);
    host = fakeHost(shop);
    shop.origin.commit({ 'pool.ts': 'const size = 10;\n' }, { message: 'Open a pool' });
    bad = shop.origin.commit({ 'pool.ts': 'const size = 1;\n' }, { message: 'Shrink the pool' });
    await shop.sync();
  });
  after(async () => {
    await harness.stop();
    for (const one of [shop.origin, shop.mirror]) one.remove();
  });

  const suggest = (input: object): ScriptedStep => ({
    toolUses: [{ name: 'suggest_pr', input: { repository: 'acme/shop', title: 'Revert “Shrink the pool”', ...input } }],
  });
  const submit = (more: object = {}): ScriptedStep => ({
    toolUses: [{ name: 'submit_report', input: { ...reportInput(), ...more } }],
  });
  const investigated = async (): Promise<Json> => {
    const id = await harness.investigate('Why is payment slow?');
    await harness.untilEnded(id);
    return (await harness.request('GET', `/api/investigations/${id}`)).body;
  };

  it('is part of the report, with its diff, and opens from there', async () => {
    script = byTurn([
      listSources,
      suggest({ revert_commit: bad }),
      submit({ recommended_pr: { suggestion: 1 } }),
      submit({ recommended_pr: { suggestion: 2 } }),
    ]);
    const detail = await investigated();
    const [, , refused] = detail.steps;
    assert.match(JSON.stringify(refused.tool_calls[0].digest), /not accepted/);
    const { recommended_pr: recommended } = detail.report;
    assert.deepEqual(
      { ...recommended, diff: undefined, reverts: recommended.reverts.summary },
      {
        tool_call_id: detail.steps[1].tool_calls[0].id,
        evidence: 2,
        title: 'Revert “Shrink the pool”',
        body: '',
        repository: 'acme/shop',
        base: 'main',
        base_commit: bad,
        reverts: 'Shrink the pool',
        files: [{ path: 'pool.ts', change: 'modified', additions: 1, deletions: 1 }],
        diff: undefined,
        diff_truncated: false,
        warnings: [],
      },
    );
    assert.match(recommended.diff, /^\+const size = 10;$/m);
    assert.match(
      detail.investigation_text,
      /## Recommended pull request\n\n\*\*Revert “Shrink the pool”\*\* in `acme\/shop`/,
    );
    assert.match(detail.investigation_text, /```diff\n[^`]+\+const size = 10;\n```/);
    assert.deepEqual(detail.pull_requests, []);

    const { body } = await harness.request('POST', '/api/create-pr/from-investigation', {
      investigation_id: detail.id,
    });
    const created: Json = body;
    assert.equal(created.status, 'open', JSON.stringify(created));
    const after = (await harness.request('GET', `/api/investigations/${detail.id}`)).body as Json;
    assert.deepEqual(after.pull_requests, [
      {
        id: created.pull_request_id,
        repository: 'acme/shop',
        title: 'Revert “Shrink the pool”',
        status: 'open',
        number: 12,
        url: created.url,
      },
    ]);
    const [request] = host.requests;
    assert.match(request?.body ?? '', /### Root cause\n\nThe pool of payment is exhausted \[\[1\]\]\(http/);
    assert.match(request?.body ?? '', /### Evidence\n\n- \[\[1\]\]\(http[^)]+\?call=[0-9a-f-]{36}\) `list_sources`/);
  });

  it('is the newest suggestion if the report names none; an error is none', async () => {
    const edits = [{ path: 'pool.ts', search: 'size = 1;', replace: 'size = 20;' }];
    script = byTurn([
      listSources,
      suggest({ edits, title: 'Twenty' }),
      suggest({ edits: [{ path: 'no', delete: true }] }),
      submit(),
    ]);
    const detail = await investigated();
    assert.equal(detail.report.recommended_pr.title, 'Twenty');
    assert.equal(detail.steps[2].tool_calls[0].is_error, true);
  });

  it('is absent where nothing was suggested', async () => {
    script = byTurn([listSources, submit()]);
    const detail = await investigated();
    assert.equal(detail.report.recommended_pr, null);
    const answer = await harness.request('POST', '/api/create-pr/from-investigation', { investigation_id: detail.id });
    assert.equal(answer.status, 422);
  });

  it('opens from a chat, the newest or the call that is named', async () => {
    script = byTurn([
      suggest({ edits: [{ path: 'a.md', content: 'A\n' }], title: 'Add A' }),
      suggest({ edits: [{ path: 'b.md', content: 'B\n' }], title: 'Add B' }),
      { text: 'Both are suggested.' },
    ]);
    const said = await harness.request(
      'POST',
      '/api/v1/chat',
      { messages: [{ role: 'user', content: 'Suggest both.' }] },
      {
        authorization: `Bearer ${harness.apiKey}`,
        'x-api-key': '',
      },
    );
    assert.equal(said.status, 200, JSON.stringify(said.body));
    const { chat_id: chatId }: Json = said.body;
    const calls = await harness.database.orm.em
      .fork()
      .execute<{ id: string }[]>('select id from tool_calls where conversation_id = ? order by evidence', [chatId]);
    const from = async (more: object): Promise<Json> =>
      (await harness.request('POST', '/api/create-pr/from-chat', { chat_id: chatId, ...more })).body;
    const newest = await from({});
    assert.equal(newest.status, 'open', JSON.stringify(newest));
    assert.equal(host.requests.at(-1)?.title, 'Add B');
    assert.match(host.requests.at(-1)?.body ?? '', new RegExp(`/chat/${chatId}\\)`));
    const named = await from({ tool_call_id: calls[0]?.id });
    assert.equal(named.status, 'open');
    assert.equal(host.requests.at(-1)?.title, 'Add A');
    assert.equal((await from({ tool_call_id: calls[1]?.id })).pull_request_id, newest.pull_request_id);
    const { body } = await harness.request('GET', `/api/pull-requests?chat_id=${chatId}`);
    assert.deepEqual(
      (body as Json).items.map(({ title, chat_id: chat }: Json) => [title, chat]),
      [
        ['Add A', chatId],
        ['Add B', chatId],
      ],
    );
  });

  it('is pending while the host is away, and says what it waits for', async () => {
    script = byTurn([listSources, suggest({ revert_commit: bad, title: 'Again' }), submit()]);
    const detail = await investigated();
    harness.api.deps.pullRequests.waitMs = 1_500;
    host.next.find = [new CodeHostError('unavailable', 'The host did not answer.', { retryAfterMs: 3_600_000 })];
    const { body } = await harness.request('POST', '/api/create-pr/from-investigation', {
      investigation_id: detail.id,
    });
    const created: Json = body;
    assert.equal(created.status, 'pending');
    const followed = await waitUntil(
      async () => {
        const { body: now } = await harness.request('GET', created.follow);
        return (now as Json).error === null ? undefined : (now as Json);
      },
      { what: 'the reason why it waits' },
    );
    assert.deepEqual([followed.status, followed.error], ['pending', 'The host did not answer.']);
  });
});
