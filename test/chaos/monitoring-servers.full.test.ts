/** `kill -9` of API and Temporal, one by one and together, while findings come and go: everything is told, once. */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../support/wait-until.ts';
import { startInstallation, type Installation, type ProcessName } from '../support/installation/index.ts';
import { follow, gaugeCheck, startReceiver, stopReceivers, watch, type Call } from './support/watched-agent.ts';
import { investigating } from './support/watching.ts';

describe('kill -9 of the servers around monitoring agents @never-forgiven', () => {
  let installation: Installation;
  before(async () => {
    installation = await startInstallation({ script: investigating, env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' } });
  });
  after(async () => {
    await stopReceivers();
    await installation?.stop();
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') console.error(installation.errors().slice(-8_000));
    await installation.untilReady();
  });

  const call: Call = async (method, path, body) => {
    const response = await fetch(installation.apiUrl + path, {
      method,
      headers: installation.headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  const place = () => ({ call, held: installation.prometheus });

  it('at any moment of findings that open, are investigated and end: nothing is missing, nothing is told twice', async () => {
    const agent = await watch(place(), 'stormy', {
      checks: [gaugeCheck('stormy', '', { schedule: { every_seconds: 5 }, cool_down_seconds: 0 })],
    });
    const killed: string[] = [];
    const storm = new AbortController();
    const kills = (async () => {
      const victims: ProcessName[][] = [['api'], ['temporal'], ['api', 'temporal']];
      for (let kill = 0; !storm.signal.aborted; kill += 1) {
        await sleep(randomInt(500, 4_000));
        const names = victims[kill % victims.length]!;
        await installation.kill(...names);
        killed.push(names.join(' and '));
        await installation.untilReady();
      }
    })();
    const ids: string[] = [];
    try {
      for (let cycle = 0; cycle < 3; cycle += 1) {
        agent.set(500);
        const { id } = await agent.untilFinding(
          'another finding with an investigation',
          (one) => one.origin === 'check' && one.investigation !== null && !ids.includes(one.id),
        );
        ids.push(id);
        const before = killed.length;
        await waitUntil(() => killed.length > before || undefined, { what: 'another kill' });
        agent.set(1);
        await agent.untilFinding('its end', (one) => one.id === id && /resolved|closed/.test(one.status));
      }
    } finally {
      storm.abort();
      await kills;
    }
    assert.ok(killed.length >= 3, killed.join(', '));
    for (const id of ids) {
      await waitUntil(() => agent.told(id).length >= 3 || undefined, {
        what: `what is told of ${id}`,
      });
      assert.deepEqual(agent.told(id).toSorted(), ['opened', 'report', 'resolved'], killed.join(', '));
      await agent.untilFinding('closed', (one) => one.id === id && one.status === 'closed');
      const stored = await agent.notifications(id);
      assert.deepEqual(stored.map(({ event }) => event).toSorted(), ['opened', 'report', 'resolved']);
    }
    const found = (await agent.findings()).filter(({ origin }) => origin === 'check');
    assert.deepEqual(new Set(found.map(({ id }) => id)), new Set(ids));
    const { body } = await call('GET', '/api/investigations');
    const opened = body.items.filter(({ query }: { query: string }) => query.includes('stormy'));
    assert.deepEqual(
      new Set(opened.map(({ id }: { id: string }) => id)),
      new Set(found.map(({ investigation }) => investigation!.id)),
    );
    assert.equal(opened.length, ids.length);
    assert.equal((await call('DELETE', agent.at(''))).status, 200);
  });

  it('between what is stored and what Temporal hears: agents begin, and changes are taken, when both are back', async () => {
    const receiver = await startReceiver();
    const known = await watch(place(), 'known');
    await known.untilSessions('the first run', (all) => all.some(({ status }) => status === 'ok'));
    const listed = async (): Promise<{ chat_id: string; title: string; plan_version: number }[]> =>
      (await call('GET', '/api/monitoring-chat/list')).body.chats;

    process.kill(installation.pid('temporal')!, 'SIGSTOP');
    const plan = { summary: 'The queue', checks: [gaugeCheck('unheard')] };
    const unanswered = [
      call('POST', '/api/monitoring-chat', { message: 'Watch.', title: 'Unheard', plan }),
      call('PATCH', known.at('/plan'), { plan: { checks: [{ id: 'queue', severity: 'critical' }] } }),
      // On a slow machine they are answered before the kill: then Temporal was waited for in vain.
    ].map((request) => request.catch(() => undefined));
    const { chat_id: id } = await waitUntil(
      async () => {
        const agents = await listed();
        const isChanged = agents.find((one) => one.chat_id === known.id)?.plan_version === 2;
        return isChanged ? agents.find(({ title }) => title === 'Unheard') : undefined;
      },
      { what: 'the agent and the change as stored', intervalMs: 20 },
    );
    await installation.kill('api', 'temporal');
    await Promise.all(unanswered);
    await installation.untilReady();

    const agent = follow(place(), id, 'unheard', receiver);
    const ended = ({ status }: { status: string }): boolean => status === 'ok';
    assert.equal((await agent.untilSessions('the first run', (all) => all.some(ended))).length, 1);
    const sessions = await known.untilSessions('a run of the change', (all) => all.filter(ended).length >= 2);
    assert.deepEqual(
      sessions.map(({ plan_version: version }) => version),
      [1, 2],
    );
  });
});
