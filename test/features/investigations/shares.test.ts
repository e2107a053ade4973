import { sharePepperFrom } from '../../../src/features/investigations/shares/service.ts';
import type { Pepper } from '../../../src/platform/secrets.ts';
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { Credential, Membership, purgeSignIns } from '../../../src/features/identity/index.ts';
import { InvestigationShare } from '../../../src/features/investigations/shares/entities.ts';
import { shareEndpoints } from '../../../src/features/investigations/shares/routes.ts';
import { send, type Reply } from '../../http/support/api.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';
import { sampleReport } from '../../support/report.ts';
import { startIdentityApi, type IdentityApi } from '../identity/support.ts';

const DAY_MS = 86_400_000;
const EXCERPT = 'pool exhausted: 118 clients waiting';

describe('a read-only link to a report', () => {
  let api: IdentityApi & { pepper: Pepper };
  let team: Awaited<ReturnType<IdentityApi['newTeam']>>;
  let id: string;
  const links = { appUrl: 'http://app.example', temporalNamespace: 'default' };
  before(async () => {
    api = await startIdentityApi({
      endpoints: shareEndpoints,
      deps: { links, sharePepper: sharePepperFrom([randomBytes(32)]) },
    });
    team = await api.newTeam();
    id = await newReport(team.id);
  });
  after(() => api.stop());

  const newReport = async (teamId: string): Promise<string> => {
    const toolCallId = randomUUID();
    const citations = [
      {
        n: 1,
        evidence: 1,
        toolCallId,
        tool: 'promql',
        source: 'prometheus',
        sha256: 'ab',
        excerpts: [{ text: EXCERPT, verified: true, offset: 0 }],
      },
    ];
    const report = { ...sampleReport(), citations, unverifiedClaims: [] };
    const counts = { asked: 2, answered: 1, failed: 1 };
    const error = 'Prometheus at 10.0.0.7:9090 answered 403';
    const sources = [{ source: 'prometheus', recorded: false, ...counts, error }];
    const coverage = { outcome: 'answered' as const, signals: [], sources };
    const shown = { alertSummary: 'Web is slow', query: 'TOP SECRET question', report };
    const row = { status: 'completed' as const, ...shown, coverage };
    return (await storeInvestigation(api.database.orm, { teamId, row, results: [EXCERPT], toolIds: [toolCallId] })).id;
  };
  const shares = (of = id): string => `/api/investigations/${of}/shares`;
  const newLink = async (key = team.key, body: Record<string, unknown> = {}) => {
    const { status, json, text } = await api.call(key, 'POST', shares(), body);
    assert.equal(status, 200, text);
    return json;
  };
  const read = (token: string): Promise<Reply> =>
    send(`${api.url}/api/shared`, { headers: { 'x-share-token': token } });
  const live = async (): Promise<string[]> => {
    const { json } = await api.call(team.key, 'GET', shares());
    return json.shares.map((share: { id: string }) => share.id);
  };
  /** Every way to be refused looks the same. */
  const assertRefused = async (token: string): Promise<void> => {
    const { status, json, headers } = await read(token);
    assert.equal(status, 404);
    assert.equal(json.detail, 'This link has expired, was revoked, or never existed.');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['x-robots-tag'], 'noindex');
  };

  it('carries its token in the fragment, shows it once, and stores only a hash', async () => {
    const { token, url, ...share } = await newLink(team.key, { label: 'For the vendor', expires_in_days: 30 });
    assert.match(token, /^cb_share_[\w-]{43}$/);
    assert.equal(url, `http://app.example/shared#${token}`);
    assert.equal(Date.parse(share.expires_at) - api.clock.now().getTime(), 30 * DAY_MS);
    const { json } = await api.call(team.key, 'GET', shares());
    assert.deepEqual(json.shares, [share]);
    assert.equal(share.created_by, 'Ada');
    const stored = await api.database.orm.em.fork().find(Credential, { kind: 'share' }, anyTeam);
    assert.ok(stored.length > 0 && !JSON.stringify(stored).includes(token.slice(9)));
  });

  it('lasts a week unless asked otherwise, and between a day and 90', async () => {
    assert.equal(Date.parse((await newLink()).expires_at) - api.clock.now().getTime(), 7 * DAY_MS);
    for (const days of [0, 91, 1.5]) {
      const { status } = await api.call(team.key, 'POST', shares(), { expires_in_days: days });
      assert.equal(status, 422, String(days));
    }
  });

  it('shows the report and what it cites without a key, and nothing of the team or the run', async () => {
    const { token } = await newLink();
    const { status, json, headers, text } = await read(token);
    assert.equal(status, 200, text);
    assert.equal(json.title, 'Web is slow');
    assert.equal(json.report.root_cause.service, 'db');
    assert.equal(json.hypotheses.length, 1);
    assert.equal(json.report.timeline.length, 1);
    assert.equal(json.citations[0].excerpts[0].text, EXCERPT);
    assert.deepEqual([json.citations[0].tool, json.coverage.sources[0].error], ['promql', 'It did not respond.']);
    assert.deepEqual(Object.keys(json).toSorted(), [
      'citations',
      'coverage',
      'created_at',
      'expires_at',
      'finished_at',
      'hypotheses',
      'limit_reached',
      'report',
      'status',
      'title',
    ]);
    for (const secret of [
      team.id,
      team.userId,
      id,
      token,
      'TOP SECRET',
      'Ada',
      'tool_call_id',
      'cost',
      'Query Prometheus',
      '10.0.0.7',
    ])
      assert.ok(!text.includes(secret), secret);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['x-robots-tag'], 'noindex');
  });

  it('counts and logs each opening, and who creates and revokes it, but never the token', async () => {
    const { id: shareId, token } = await newLink();
    await read(token);
    api.clock.advance(1_000);
    await read(token);
    const { json } = await api.call(team.key, 'GET', shares());
    const share = json.shares.find((one: { id: string }) => one.id === shareId);
    assert.equal(share.opened, 2);
    assert.equal(Date.parse(share.last_opened_at), api.clock.now().getTime());
    await api.call(team.key, 'DELETE', `${shares()}/${shareId}`);
    const lines = api.lines.filter((line) => line['shareId'] === shareId);
    assert.deepEqual(
      lines.map(({ msg, userId }) => [msg, userId]),
      [
        ['report shared', team.userId],
        ['shared report opened', undefined],
        ['shared report opened', undefined],
        ['shared report revoked', team.userId],
      ],
    );
    assert.ok(!JSON.stringify(api.lines).includes(token.slice(9)));
  });

  it('ends when it expires', async () => {
    const { id: shareId, token } = await newLink(team.key, { expires_in_days: 1 });
    api.clock.advance(DAY_MS - 1);
    assert.equal((await read(token)).status, 200);
    api.clock.advance(1);
    await assertRefused(token);
    assert.ok(!(await live()).includes(shareId));
    const { orm, clock } = { orm: api.database.orm, clock: api.clock };
    const rows = () => orm.em.fork().count(InvestigationShare, { id: shareId }, anyTeam);
    await purgeSignIns(orm.em, clock.now());
    assert.equal(await rows(), 1);
    await purgeSignIns(orm.em, new Date(clock.now().getTime() + 1));
    assert.equal(await rows(), 0);
  });

  it('ends when it is revoked, which may be repeated', async () => {
    const { id: shareId, token } = await newLink();
    const { token: other } = await newLink();
    const first = await api.call(team.key, 'DELETE', `${shares()}/${shareId}`);
    assert.equal(first.status, 200, first.text);
    api.clock.advance(1_000);
    const again = await api.call(team.key, 'DELETE', `${shares()}/${shareId}`);
    assert.equal(again.json.revoked_at, first.json.revoked_at);
    await assertRefused(token);
    assert.ok(!(await live()).includes(shareId));
    assert.equal((await read(other)).status, 200, 'another link goes on');
  });

  it('ends with the person who created it, however they leave', async () => {
    for (const leave of ['removed', 'deleted'] as const) {
      const member = await api.newMember(team.key);
      const { key } = await api.newKey(team.key, ['investigations:read', 'investigations:share'], {
        user_id: member.id,
      });
      const { token } = await newLink(key);
      assert.equal((await read(token)).status, 200);
      if (leave === 'removed') await api.call(team.key, 'DELETE', `/api/team/members/${member.id}`);
      else await api.database.orm.em.fork().nativeDelete(Membership, { userId: member.id }, anyTeam);
      await assertRefused(token);
    }
  });

  it('ends with the key it comes from, at its expiry or revocation', async () => {
    const { id: keyId, key } = await api.newKey(team.key, ['investigations:read', 'investigations:share']);
    const { token } = await newLink(key);
    assert.equal((await read(token)).status, 200);
    await api.call(team.key, 'DELETE', `/api/api-keys/${keyId}`);
    await assertRefused(token);
    const end = new Date(api.clock.now().getTime() + DAY_MS).toISOString();
    const short = await api.newKey(team.key, ['investigations:read', 'investigations:share'], { expires_at: end });
    assert.equal((await newLink(short.key)).expires_at, end);
  });

  it('ends with its report', async () => {
    const gone = await newReport(team.id);
    const { json } = await api.call(team.key, 'POST', shares(gone), {});
    const em = api.database.orm.em.fork();
    await em.transactional(async (tx) => {
      await tx.execute('delete from investigation_shares where investigation_id = ?', [gone]);
      await tx.execute('delete from investigations where id = ?', [gone]);
    });
    await assertRefused(json.token);
  });

  it('is not guessed, and one token does not stand for another', async () => {
    const { token } = await newLink();
    await assertRefused(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`);
    await assertRefused(team.key);
    const asKey = await api.call(token, 'GET', shares());
    assert.equal(asKey.status, 401);
    assert.equal((await send(`${api.url}/api/shared`)).status, 422);
  });

  it('needs its own scope, which members have and keys that only read do not', async () => {
    const { key } = await api.newKey(team.key, ['investigations:read', 'investigations:write']);
    const { id: shareId } = await newLink();
    for (const [method, path, body] of [
      ['GET', shares(), undefined],
      ['POST', shares(), {}],
      ['DELETE', `${shares()}/${shareId}`, undefined],
    ] as const)
      assert.equal((await api.call(key, method, path, body)).status, 403, `${method} ${path}`);
    const member = await api.newMember(team.key);
    const { json } = await api.call(team.key, 'POST', '/api/sign-in-links', { user_id: member.id });
    const browser = api.browser();
    await browser.signIn({ link: json.token });
    assert.equal((await browser.request('POST', shares(), {})).status, 200);
  });

  it('is out of reach of other teams', async () => {
    const { id: shareId, token } = await newLink();
    const { key } = await api.newTeam();
    assert.equal((await api.call(key, 'GET', shares())).status, 404);
    assert.equal((await api.call(key, 'POST', shares(), {})).status, 404);
    assert.equal((await api.call(key, 'DELETE', `${shares()}/${shareId}`)).status, 404);
    assert.equal((await read(token)).status, 200);
  });

  it('is only made where there is a report, and not without end', async () => {
    const { key } = await api.newKey(team.key, ['investigations:share']);
    assert.equal((await api.call(key, 'POST', shares(), {})).status, 403, 'whoever shares a report may read it');
    const { id: running } = await storeInvestigation(api.database.orm, { teamId: team.id });
    assert.equal((await api.call(team.key, 'POST', shares(running), {})).json.code, 'no_report');
    const popular = await newReport(team.id);
    for (let made = 0; made < 100; made++)
      assert.equal((await api.call(team.key, 'POST', shares(popular), {})).status, 200);
    assert.equal((await api.call(team.key, 'POST', shares(popular), {})).json.code, 'too_many_links');
  });
});

describe('guessing read-only links', () => {
  const env = { CASEBOOK_RATE_LIMIT: '100' };
  const deps = {
    links: { appUrl: 'http://app.example', temporalNamespace: 'default' },
    sharePepper: sharePepperFrom([randomBytes(32)]),
  };

  it('is not what somebody does whose link has ended', async () => {
    const api = await startIdentityApi({ endpoints: shareEndpoints, deps, env });
    try {
      const team = await api.newTeam();
      const report = { ...sampleReport(), citations: [], unverifiedClaims: [] };
      const row = { status: 'completed' as const, report };
      const { id } = await storeInvestigation(api.database.orm, { teamId: team.id, row });
      const { json } = await api.call(team.key, 'POST', `/api/investigations/${id}/shares`, {});
      await api.call(team.key, 'DELETE', `/api/investigations/${id}/shares/${json.id}`);
      for (let tried = 0; tried < 20; tried++) {
        const { status } = await send(`${api.url}/api/shared`, { headers: { 'x-share-token': json.token } });
        assert.equal(status, 404);
      }
    } finally {
      await api.stop();
    }
  });

  it('is slowed down as failed sign-ins are', async () => {
    const api = await startIdentityApi({ endpoints: shareEndpoints, deps, env });
    try {
      const statuses = new Set<number>();
      for (let tried = 0; tried < 20; tried++) {
        const token = `cb_share_${randomBytes(32).toString('base64url')}`;
        statuses.add((await send(`${api.url}/api/shared`, { headers: { 'x-share-token': token } })).status);
      }
      assert.deepEqual([...statuses], [404, 429]);
      const signIn = await api.browser().signIn({ api_key: 'cb_wrong' });
      assert.equal(signIn.status, 429, 'both are counted together');
    } finally {
      await api.stop();
    }
  });
});
