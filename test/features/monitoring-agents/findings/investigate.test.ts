import { Run } from '../../../../src/features/runs/index.ts';
import assert from 'node:assert/strict';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { Finding } from '../../../../src/features/monitoring-agents/entities.ts';
import { openInvestigation } from '../../../../src/features/monitoring-agents/findings/index.ts';
import { lockFindings } from '../../../../src/features/monitoring-agents/findings/rows.ts';
import { IdempotencyHeaders } from '../../../../src/features/investigations/schemas.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { checkOf, findingsOf, observe, resultOf, seen, storeAgent } from './support.ts';

describe('the investigation of a finding', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());

  it('is opened while a session that is being ended observes the same finding: neither waits for the other for ever', async () => {
    const { orm } = database;
    const agent = await storeAgent(orm);
    await observe(orm, agent, checkOf(), resultOf(seen('checkout', true)));
    const [finding] = await findingsOf(orm, agent);
    const ref = { findingId: finding!.id, teamId: agent.teamId };
    const deps = { orm, clock: systemClock } as Parameters<typeof openInvestigation>[0];
    const waiting = async (): Promise<boolean> => {
      const [row] = await orm.em
        .fork()
        .execute<{ n: number }[]>(
          `select count(*)::int as n from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`,
        );
      return row!.n > 0;
    };
    let opened: ReturnType<typeof openInvestigation> | undefined;
    await forTeam(orm.em, agent.teamId).transactional(async (em) => {
      await lockFindings(em, agent.id);
      opened = openInvestigation(deps, ref);
      opened.catch(() => undefined);
      await waitUntil(async () => (await waiting()) || undefined, {
        what: 'a lock that is waited for',
      });
      await em.nativeUpdate(Finding, { id: ref.findingId }, { summary: 'still there' });
    });
    const { investigationId } = await opened!;
    const [after] = await findingsOf(orm, agent);
    assert.equal(after!.investigationId, investigationId);
    assert.equal(after!.summary, 'still there');
  });

  it('has a key that no caller can take first', async () => {
    const { orm } = database;
    const agent = await storeAgent(orm);
    await observe(orm, agent, checkOf(), resultOf(seen('checkout', true)));
    const [finding] = await findingsOf(orm, agent);
    const deps = { orm, clock: systemClock } as Parameters<typeof openInvestigation>[0];
    const { investigationId } = await openInvestigation(deps, { findingId: finding!.id, teamId: agent.teamId });
    const { idempotencyKey } = await forTeam(orm.em, agent.teamId).findOneOrFail(Run, { id: investigationId });
    assert.ok(idempotencyKey);
    assert.ok(!IdempotencyHeaders.safeParse({ 'idempotency-key': idempotencyKey }).success);
  });

  it('joins one that runs, or was about the same service, once three were opened at once; what is critical has its own', async () => {
    const { orm } = database;
    const agent = await storeAgent(orm);
    const deps = { orm, clock: systemClock } as Parameters<typeof openInvestigation>[0];
    const open = async (service: string, severity: 'warning' | 'critical' = 'warning'): Promise<string | undefined> => {
      await observe(orm, agent, checkOf({ severity }), resultOf(seen(service, true)));
      const finding = (await findingsOf(orm, agent)).find((each) => each.service === service);
      return (await openInvestigation(deps, { findingId: finding!.id, teamId: agent.teamId })).investigationId;
    };
    const end = (id: string | undefined): Promise<unknown> =>
      forTeam(orm.em, agent.teamId).nativeUpdate(Run, { id }, { status: 'completed' });
    const [first, second, third] = [await open('cart'), await open('checkout'), await open('orders')];
    assert.equal(new Set([first, second, third]).size, 3);
    await Promise.all([end(first), end(second)]);
    assert.equal(await open('mail'), third);
    await end(third);
    const fourth = await open('payment');
    assert.ok(
      ![first, second, third].includes(fourth),
      'an investigation that is over says nothing of another service',
    );
    const critical = await open('gateway', 'critical');
    assert.ok(![first, second, third, fourth].includes(critical));
  });
});
