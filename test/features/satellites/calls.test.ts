/** Questions of runs: their ids are the same for every attempt, so an answer outlives whoever waited for it. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import { anyTeam, forTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  SatelliteOffline,
  SatelliteRefused,
  SatelliteTimeout,
  SatelliteUnknown,
} from '../../../src/features/satellites/calls/port.ts';
import { createSatelliteCalls, purgeSatelliteRequests } from '../../../src/features/satellites/index.ts';
import { Satellite, SatelliteRequest } from '../../../src/features/satellites/entities.ts';
import type { RequestMessage } from '@casebook/wire';
import { systemClock } from '../../../src/platform/clock.ts';
import { connectWireSatellite, type WireSatellite } from '../../support/wire-satellite.ts';
import { startSatelliteApi, type SatelliteApi } from './support.ts';

describe('questions of runs to satellites', () => {
  let api: SatelliteApi;
  let token: string;
  let calls: ReturnType<typeof createSatelliteCalls>;
  const open: WireSatellite[] = [];
  before(async () => {
    api = await startSatelliteApi();
    ({ token } = await api.token());
    const { orm, events } = { orm: api.database.orm, events: api.nodes[0]!.api.deps.events };
    calls = createSatelliteCalls({ orm, events, clock: systemClock });
  });
  after(async () => {
    for (const each of open) each.cut();
    await api.stop();
  });

  /** A satellite that keeps what it is asked. */
  const connect = async (name: string, onRequest?: (request: RequestMessage, self: WireSatellite) => void) => {
    const asked: RequestMessage[] = [];
    const satellite = await connectWireSatellite({
      url: api.url,
      token,
      name,
      onRequest: (request, self) => {
        asked.push(request);
        onRequest?.(request, self);
      },
    });
    open.push(satellite);
    await api.untilStatus(satellite.id, 'online');
    const call = (more: object = {}) => ({
      teamId: api.team.id,
      satelliteId: satellite.id,
      target: { kind: 'connector' as const, connector: 'prometheus', operation: 'query', parameters: {} },
      timeoutMs: 60_000,
      ...more,
    });
    const untilAsked = () => waitUntil(() => asked[0], { what: 'the request', intervalMs: 10 });
    return { satellite, asked, call, untilAsked };
  };
  const never = new AbortController().signal;

  it('find an answer that arrived while nobody listened, without asking again', async () => {
    const { satellite, asked, call, untilAsked } = await connect('late');
    const requestId = randomUUID();
    const worker = new AbortController();
    const lost = calls.ask(call({ requestId, isGivenUp: () => false }), worker.signal);
    await untilAsked();
    worker.abort(new Error('the worker is gone'));
    await assert.rejects(lost, /the worker is gone/);
    satellite.answer(requestId, { late: true });
    const { text } = await calls.ask(call({ requestId }), never);
    assert.deepEqual(JSON.parse(text), { late: true });
    assert.equal(asked.length, 1);
    assert.deepEqual(JSON.parse((await calls.ask(call({ requestId }), never)).text), { late: true });
    assert.equal(asked.length, 1);
    assert.ok(satellite.received.every(({ type }) => type !== 'cancel'));
  });

  it('go on waiting for work that is under way', async () => {
    const { satellite, asked, call, untilAsked } = await connect('under-way');
    const requestId = randomUUID();
    const worker = new AbortController();
    const lost = calls.ask(call({ requestId, isGivenUp: () => false }), worker.signal);
    await untilAsked();
    worker.abort(new Error('the worker is gone'));
    await assert.rejects(lost);
    const again = calls.ask(call({ requestId }), never);
    satellite.answer(requestId, 'worth the wait');
    assert.equal((await again).text, '"worth the wait"');
    assert.equal(asked.length, 1);
  });

  it('stop the satellite when they are given up', async () => {
    const { satellite, call, untilAsked } = await connect('stop');
    const person = new AbortController();
    const given = calls.ask(call({ requestId: randomUUID() }), person.signal);
    await untilAsked();
    person.abort(new Error('cancelled'));
    await assert.rejects(given, /cancelled/);
    await waitUntil(() => satellite.received.some(({ type }) => type === 'cancel') || undefined, {
      what: 'the cancel',
    });
  });

  it('keep a refusal as well as an answer', async () => {
    const { asked, call } = await connect('refuses', ({ id }, { send }) =>
      send({ type: 'answer.error', id, code: 'bad_request', message: 'parse error' }),
    );
    const requestId = randomUUID();
    for (const _ of [1, 2]) {
      await assert.rejects(calls.ask(call({ requestId }), never), (error) => {
        assert.ok(error instanceof SatelliteRefused);
        assert.equal(error.code, 'bad_request');
        return error.message === 'parse error';
      });
    }
    assert.equal(asked.length, 1);
  });

  it('are asked twice in all, however many attempts wait for them', async () => {
    const { satellite, call, untilAsked } = await connect('twice');
    const requestId = randomUUID();
    const first = calls.ask(call({ requestId }), never);
    await untilAsked();
    const second = calls.ask(call({ requestId }), never);
    const both = Promise.allSettled([first, second]);
    satellite.cut();
    let askedAgain = 0;
    await connectWireSatellite({
      url: api.url,
      token,
      name: 'twice',
      onRequest: (_request, self) => {
        askedAgain++;
        self.cut();
      },
    });
    for (const outcome of await both) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof SatelliteOffline);
      assert.match(outcome.reason.message, /twice/);
    }
    await assert.rejects(calls.ask(call({ requestId }), never), SatelliteOffline);
    assert.equal(askedAgain, 1);
  });

  it('wait for a satellite that is away, if the run can wait, and tell it what for', async () => {
    const { satellite, call } = await connect('away');
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    const waits: string[] = [];
    const onWait = (what: string): Disposable => {
      waits.push(what);
      return { [Symbol.dispose]: () => waits.push('over') };
    };
    const answer = calls.ask(call({ requestId: randomUUID(), onWait }), never);
    await waitUntil(() => waits[0], { what: 'the wait', intervalMs: 10 });
    const back = await connect('away', ({ id }, self) => self.answer(id, 'back'));
    assert.equal((await answer).text, '"back"');
    assert.deepEqual(waits, ['satellite away', 'over']);
    assert.equal(back.asked.length, 1);
  });

  it('ask as often as the connection is lost, within bounds, if the run can wait', async () => {
    let { satellite, call, untilAsked } = await connect('often');
    const onWait = (): Disposable => ({ [Symbol.dispose]: () => undefined });
    const answer = calls.ask(call({ requestId: randomUUID(), onWait }), never);
    const outcome = Promise.allSettled([answer]);
    for (let times = 1; times <= 5; times++) {
      await untilAsked();
      satellite.cut();
      if (times < 5) ({ satellite, untilAsked } = await connect('often'));
    }
    const [end] = await outcome;
    assert.ok(end.status === 'rejected' && end.reason instanceof SatelliteOffline);
    assert.match(end.reason.message, /5 times/);
  });

  it('wait out an absence once: after that it is a failure at once, until the satellite was seen again', async () => {
    const { satellite, call } = await connect('in-vain');
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    const { orm, events } = { orm: api.database.orm, events: api.nodes[0]!.api.deps.events };
    const impatient = createSatelliteCalls({ orm, events, clock: systemClock, reconnectMs: 50 });
    let waits = 0;
    const onWait = (): Disposable => ({ [Symbol.dispose]: () => waits++ });
    for (const _ of [1, 2])
      await assert.rejects(impatient.ask(call({ requestId: randomUUID(), onWait }), never), SatelliteOffline);
    assert.equal(waits, 1);
    await connect('in-vain', ({ id }, self) => self.answer(id, 'back'));
    assert.equal((await impatient.ask(call({ requestId: randomUUID(), onWait }), never)).text, '"back"');
  });

  it('do not wait for a satellite that has been away for long', async () => {
    const { satellite, call } = await connect('gone');
    satellite.cut();
    await api.untilStatus(satellite.id, 'offline');
    const lastHeartbeatAt = new Date(Date.now() - 3_600_000);
    await forTeam(api.database.orm.em, api.team.id).nativeUpdate(Satellite, { id: satellite.id }, { lastHeartbeatAt });
    const onWait = (): Disposable => assert.fail('it waits');
    await assert.rejects(calls.ask(call({ requestId: randomUUID(), onWait }), never), SatelliteOffline);
  });

  it('have one answer for attempts that begin at the same moment', async () => {
    const { satellite, call, untilAsked } = await connect('same-moment');
    const requestId = randomUUID();
    const both = Promise.all([1, 2].map(() => calls.ask(call({ requestId }), never)));
    await untilAsked();
    satellite.answer(requestId, 'x'.repeat(500_000));
    for (const { text } of await both) assert.equal(text.length, 500_002);
    assert.equal(satellite.socket.readyState, satellite.socket.OPEN);
  });

  it('that may act are noted before they are sent: whoever takes over must know which process has them', async () => {
    const { call } = await connect('noted', ({ id }, { answer }) => answer(id, 1));
    const { events } = api.nodes[0]!.api.deps;
    const appended: string[] = [];
    const watched: typeof events = Object.assign(Object.create(events), {
      append: async (stream: string, added: Parameters<typeof events.append>[1]) => {
        appended.push(`${stream.split(':')[0]} begins`);
        await events.append(stream, added);
        appended.push(`${stream.split(':')[0]} ends`);
      },
      read: events.read.bind(events),
      tail: events.tail.bind(events),
    });
    const watching = createSatelliteCalls({ orm: api.database.orm, events: watched, clock: systemClock });
    await watching.ask(call({ requestId: randomUUID(), acts: true }), never);
    assert.deepEqual(appended.slice(0, 3), [
      'satellite-reply begins',
      'satellite-reply ends',
      'satellite-inbox begins',
    ]);
  });

  it('leave nothing behind when they are given up, though parts of the answer come after that', async () => {
    const { asked, call, untilAsked } = await connect('straggler');
    const { events } = api.nodes[0]!.api.deps;
    const person = new AbortController();
    const given = calls.ask(call(), person.signal);
    await untilAsked();
    person.abort(new Error('gone'));
    await assert.rejects(given, /gone/);
    const stream = `satellite-reply:${asked[0]!.id}`;
    await events.append(stream, [{ type: 'part', data: { attempt: 1, index: 0, text: '1' } }]);
    await waitUntil(async () => (await events.read(stream)).length === 0 || undefined, {
      what: 'the stream to be removed',
    });
  });

  it('do not take a deleted registration for a lost connection', async () => {
    const { orm } = api.database;
    const em = forTeam(orm.em, api.team.id);
    const now = new Date();
    const [id, connectionId] = [randomUUID(), randomUUID()];
    em.create(Satellite, {
      id,
      teamId: api.team.id,
      name: 'deleted',
      version: '1',
      labels: {},
      instance: randomUUID(),
      tokenId: randomUUID(),
      inbox: `satellite-inbox:${id}`,
      connectionId,
      connectedAt: now,
      lastHeartbeatAt: now,
      clockOffsetMs: 0,
      health: [],
      summary: { connectors: [], servers: [], tools: 0, omittedTools: 0 },
      inventory: { version: '1', labels: {}, connectors: [], tools: [], omittedTools: 0 },
      inventoryBytes: 1,
      inventoryDigest: 'x',
      clusters: [],
    });
    await em.flush();
    const { events } = api.nodes[0]!.api.deps;
    const target = { kind: 'connector' as const, connector: 'db', operation: 'query', parameters: {} };
    const call = { teamId: api.team.id, satelliteId: id, target, timeoutMs: 1_000 };
    const outcome = assert.rejects(calls.ask(call, never), SatelliteTimeout);
    await waitUntil(async () => (await events.read(`satellite-inbox:${id}`))[0], {
      what: 'the request',
    });
    await api.call('DELETE', `/satellite/${id}?team_id=${api.team.id}`);
    await outcome;
  });

  it('of a team reach its own satellites only', async () => {
    const { asked, call } = await connect('own');
    const other = await api.newTeam('stranger');
    await assert.rejects(calls.ask(call({ teamId: other.id }), never), SatelliteUnknown);
    assert.equal(asked.length, 0);
  });

  it('leave nothing behind once they are swept away', async () => {
    const { call } = await connect('swept', ({ id }, { answer }) => answer(id, 1));
    const requestId = randomUUID();
    await calls.ask(call({ requestId }), never);
    const { orm } = api.database;
    const { events } = api.nodes[0]!.api.deps;
    assert.ok((await events.read(`satellite-reply:${requestId}`)).length > 0);
    await purgeSatelliteRequests(orm, events, new Date());
    assert.deepEqual(await events.read(`satellite-reply:${requestId}`), []);
    assert.equal(await orm.em.fork().count(SatelliteRequest, {}, anyTeam), 0);
  });
});
