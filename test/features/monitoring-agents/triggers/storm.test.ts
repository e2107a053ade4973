/** Many alerts at once: they wait for each other, and the rest of the API does not. */
import assert from 'node:assert/strict';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { Finding } from '../../../../src/features/monitoring-agents/entities.ts';
import { lockFindings } from '../../../../src/features/monitoring-agents/findings/rows.ts';
import { createAlertLimiter } from '../../../../src/features/monitoring-agents/triggers/alerts.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import type { Reply } from '../../../http/support/api.ts';
import { untilWaiting } from '../../../support/database.ts';
import { alertmanager } from './payloads.ts';
import { startTriggerApi, type TestTeam, type TriggerApi } from './support.ts';

/** One more than transactions of alerts may hold. */
const POOL_SIZE = 5;
const POSTS = 40;
const ALERTS = 50;
const MAX_TAKEN = 32;

describe('a storm of alerts', () => {
  let api: TriggerApi;
  before(async () => {
    api = await startTriggerApi({ poolSize: POOL_SIZE });
    // What Temporal would do with two thousand findings is not asked here.
    api.deps.findings = { ...api.deps.findings, launcher: { ...api.deps.findings.launcher, notify: async () => {} } };
  });
  after(() => api.stop());

  const payload = (names: string[]) =>
    alertmanager({
      alerts: names.map((name) => ({ status: 'firing', fingerprint: name, labels: { alertname: name } })),
    });

  /** Holds the locks of the teams' findings, as a process that is slow, while something is done. */
  async function whileLocked(teams: TestTeam[], act: () => Promise<void>): Promise<void> {
    const [team, ...rest] = teams;
    if (!team) return act();
    await forTeam(api.database.orm.em, team.id).transactional(async (em) => {
      await lockFindings(em, team.id);
      await whileLocked(rest, act);
    });
  }

  it('of one team takes no connections from others, and loses and doubles nothing', async () => {
    api.deps.alertLimiter = createAlertLimiter({ maxWaitingPerOwner: MAX_TAKEN - 1 });
    const [team, other] = [api.newTeam(), api.newTeam()];
    // Half of the alerts of each are in all of them.
    const namesOf = (post: number): string[] =>
      Array.from({ length: ALERTS }, (_, n) => (n % 2 ? `shared-${n}` : `${post}-${n}`));
    const replies: (Reply & { post: number })[] = [];
    let posted: Promise<unknown> = Promise.resolve();
    await whileLocked([team], async () => {
      posted = Promise.all(
        Array.from({ length: POSTS }, async (_, post) =>
          replies.push({ ...(await team.post(payload(namesOf(post)))), post }),
        ),
      );
      await untilWaiting(api.database, 1);
      await waitUntil(async () => replies.length >= POSTS - MAX_TAKEN || undefined, {
        what: 'answers to those that are too many',
      });
      for (const { status, headers, json } of replies) {
        assert.deepEqual([status, json.code], [503, 'busy']);
        assert.ok(Number(headers['retry-after']) > 0);
      }
      const { status, text } = await team.list();
      assert.equal(status, 200, text);
      assert.equal((await other.post(payload(['one']))).status, 200);
    });
    await posted;

    const taken = replies.filter(({ status }) => status === 200);
    assert.equal(taken.length, MAX_TAKEN);
    const answered = taken.flatMap(
      ({ json }) => json.alerts as { fingerprint: string; action: string; finding_id: string }[],
    );
    const names = new Set(taken.flatMap(({ post }) => namesOf(post)));
    const rows = await team.em().find(Finding, {});
    assert.deepEqual(
      rows.map(({ dedupKey }) => dedupKey).toSorted(),
      [...names].map((name) => `alert/alertmanager:${name}`).toSorted(),
    );
    assert.equal(answered.filter(({ action }) => action === 'opened').length, names.size);
    for (const row of rows) {
      const mine = answered.filter(({ fingerprint }) => row.dedupKey === `alert/${fingerprint}`);
      assert.equal(row.occurrences, mine.length);
      assert.ok(mine.every(({ finding_id }) => finding_id === row.id));
    }
  });

  it('of many teams leaves a connection for others', async () => {
    const limiter = createAlertLimiter();
    let asked = 0;
    api.deps.alertLimiter = (...request) => {
      asked += 1;
      return limiter(...request);
    };
    const teams = Array.from({ length: POOL_SIZE + 2 }, () => api.newTeam());
    let posted: Promise<Reply[]> = Promise.resolve([]);
    await whileLocked(teams, async () => {
      posted = Promise.all(teams.map((team) => team.post(payload(['one']))));
      await waitUntil(async () => asked === teams.length || undefined, { what: 'all requests' });
      await untilWaiting(api.database, POOL_SIZE - 1);
      const { status, text } = await api.newTeam().list();
      assert.equal(status, 200, text);
    });
    assert.deepEqual(
      (await posted).map(({ status }) => status),
      teams.map(() => 200),
    );
  });

  it('costs two statements for an alert that is new, and one for one that is known', async () => {
    api.deps.alertLimiter = createAlertLimiter();
    const team = api.newTeam();
    const names = Array.from({ length: ALERTS }, (_, n) => `one-${n}`);
    const logger = api.deps.orm.config.getLogger();
    const { logQuery } = logger;
    let statements = 0;
    const cost = async (): Promise<number> => {
      statements = 0;
      // Those that tell of them are not counted.
      logger.logQuery = ({ query }) =>
        void (query?.startsWith('update "monitoring_findings" set "signalled_revision"') || statements++);
      assert.equal((await team.post(payload(names))).status, 200);
      logger.logQuery = logQuery;
      return statements;
    };
    const more = 30;
    const ofNew = await cost();
    assert.ok(ofNew <= 2 * ALERTS + more, `${ofNew} for new ones`);
    const ofKnown = await cost();
    assert.ok(ofKnown <= ALERTS + more, `${ofKnown} for known ones`);
  });
});
