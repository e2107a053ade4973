/** Runs whose tool calls wait for a satellite: worker and satellite die, and nothing is asked of the system twice. */
import assert from 'node:assert/strict';
import { anyTeam } from '../../../src/db/team-filter.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { replyStream } from '../../../src/features/satellites/calls/reply-stream.ts';
import { SatelliteRequest } from '../../../src/features/satellites/entities.ts';
import { createEventLog } from '../../../src/platform/event-log/index.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { ask as questionTo, questionOf, taskOf } from '../../features/chats/script.ts';
import { followRun, type RunFollower } from '../../support/run-follower.ts';
import type { SatelliteProcess } from '../../support/satellite-process.ts';
import type { ScriptContext, ScriptedStep } from '../../support/scripted-model/index.ts';
import { reportInput } from '../../support/scripts.ts';
import { exprOf, type Place } from '../support/satellite-places.ts';
import { checkOffline } from './check.ts';

const MATRIX = '"resultType":"matrix"';

const gatesOf = (name: string): string[] => [`${name}-source`, `${name}-tool`].slice(asksOfTool(name) ? 1 : 0);
/** It asks through a tool only, and not through a source as well. */
const asksOfTool = (name: string): boolean => name.startsWith('left');
const toolOf = (name: string): string => `${name.replaceAll('-', '_')}_prometheus_query_range`;

/** What the model does through the satellite with the name of the case: it asks, or it acts. */
export function playSatellites({ request }: ScriptContext): ScriptedStep {
  if (taskOf(request) !== undefined) return { text: 'A title' };
  const { name, step } = questionOf(request);
  if (name === 'acting') {
    if (step > 0) return { text: 'Nobody knows whether it was restarted.' };
    return { toolUses: [{ name: 'acting_ops_restart', input: { what: exprOf(name) } }] };
  }
  if (name === 'approved') {
    if (step > 0) return { text: 'It was restarted.' };
    return { toolUses: [{ name: 'approved_ops_restart', input: { what: exprOf(name) } }] };
  }
  const excerpt = asksOfTool(name) ? MATRIX : `"source":"satellite:${name}/prometheus"`;
  const report = reportInput({ citations: [{ n: 1, evidence: 1, excerpts: [excerpt] }] });
  if (step > 0) return { toolUses: [{ name: 'submit_report', input: report }] };
  const [tool, source] = gatesOf(name).toReversed();
  const ofTool = { name: toolOf(name), input: { query: exprOf(tool!), start: 0, end: 60, step: 15 } };
  if (source === undefined) return { toolUses: [ofTool] };
  const window = { from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' };
  const input = { source: `satellite:${name}/prometheus`, expr: exprOf(source), ...window };
  return { toolUses: [{ name: 'promql', input }, ofTool] };
}

interface HeldRun {
  name: string;
  satellite: SatelliteProcess;
  id: string;
  follower: RunFollower;
  release(): void;
}

/** Starts an investigation and waits until both of its questions are held. */
async function startHeldRun({ satellite, call, cluster, held }: Place, name: string): Promise<HeldRun> {
  const asking = await satellite(name);
  const { status, json } = await call('POST', '/api/v1/investigate', { query: questionTo(name) });
  assert.ok(status < 300, JSON.stringify(json));
  const id = String(json.investigation_id);
  const headers = { 'x-api-key': cluster.apiKey };
  const follower = followRun({ url: `${cluster.apis[1]!.url}/api/investigations/${id}/events`, headers });
  const ended = follower.ended.then(() => {
    throw new Error(`The run ended before it was held: ${JSON.stringify(follower.events.at(-1))}`);
  });
  const gates = gatesOf(name);
  await Promise.race([Promise.all(gates.map((gate) => held.waitForHold(gate))), ended]);
  ended.catch(() => undefined);
  return { name, satellite: asking, id, follower, release: () => gates.forEach((gate) => held.release(gate)) };
}

/** The run has its report, each result is stored once, and the system was asked once for each. */
async function checkCompleted({ call, asked }: Place, { name, id, follower }: HeldRun): Promise<void> {
  await follower.ended;
  const { json } = await call('GET', `/api/investigations/${id}`);
  assert.equal(json.status, 'completed', JSON.stringify(json));
  assert.equal(json.citations[0].excerpts[0].verified, true, JSON.stringify(json.citations));
  const calls: { name: string; status: string; is_error: boolean }[] = json.steps.flatMap(
    (step: { tool_calls: unknown }) => step.tool_calls,
  );
  const tools = [...(asksOfTool(name) ? [] : ['promql']), toolOf(name), 'submit_report'];
  assert.deepEqual(
    calls.map((one) => [one.name, one.status, one.is_error]),
    tools.map((tool) => [tool, 'completed', false]),
  );
  const completed = follower.events.filter(({ type }) => type === 'tool.completed');
  assert.equal(completed.length, tools.length);
  for (const gate of gatesOf(name)) assert.equal(asked(gate).length, 1, gate);
}

/** Waits until the event log has the whole answer to what is held of a run. */
async function untilStored({ cluster, redis }: Place, { satellite }: HeldRun): Promise<void> {
  const { url: databaseUrl, orm } = cluster.database;
  const log = createLogger({ name: 'test', level: 'silent' });
  const events = createEventLog({ databaseUrl, redisUrl: redis?.url, log });
  const isStored = async ({ id }: SatelliteRequest): Promise<boolean> =>
    (await events.read(replyStream(id))).some(({ type }) => type === 'end');
  const stored = async (): Promise<true | undefined> => {
    const all = await orm.em.fork().find(SatelliteRequest, { satelliteId: satellite.id }, anyTeam);
    const asked = all.filter(({ target }) => target.endsWith('/query_range'));
    return (asked.length > 0 && (await Promise.all(asked.map(isStored))).every(Boolean)) || undefined;
  };
  try {
    await waitUntil(stored, { what: 'the stored answers' });
  } finally {
    await events.close();
  }
}

export async function workerKilled(place: Place): Promise<void> {
  const [worker] = place.cluster.workers;
  const both = await Promise.all(['worker-killed', 'left-alone'].map((name) => startHeldRun(place, name)));
  await worker!.kill();
  for (const run of both) run.release();
  for (const run of both) await untilStored(place, run);
  // From now on nobody but the event log knows the answer to the second run's question.
  await both[1]!.satellite.kill();
  worker!.start();
  for (const run of both) await checkCompleted(place, run);
}

export async function workerAskedToEnd(place: Place): Promise<void> {
  const [worker] = place.cluster.workers;
  const run = await startHeldRun(place, 'left-waiting');
  // It drains for up to 20 s, then gives its calls up. A tool has 75 s at the satellite, a source only 30.
  await worker!.terminate();
  run.release();
  worker!.start();
  await checkCompleted(place, run);
}

/** Kills the satellite in the middle of an act that an API client asked for, and of one that a chat asked for. */
export async function killedWhileItActs(place: Place): Promise<void> {
  const { satellite, act, untilHeld, asked, held, call, cluster } = place;
  const acting = await satellite('acting', { acting: true });
  const chat = call('POST', '/api/v1/chat', {
    messages: [{ role: 'user', content: questionTo('acting') }],
    allow_side_effects: true,
  });
  await untilHeld('acting', chat);
  const acted = act(acting, 'acting-api');
  await untilHeld('acting-api', acted);
  await acting.kill();
  acting.start();
  const unknown =
    /"acting" restarted during the request; whether it acted is unknown, and the request was not repeated/;
  checkOffline(await acted, unknown);
  const said = await chat;
  assert.equal(said.status, 200, JSON.stringify(said.json));
  assert.equal(said.json.response, 'Nobody knows whether it was restarted.');
  const told = cluster.model.requests.filter(
    ({ body }) => taskOf(body) === undefined && questionOf(body).name === 'acting',
  );
  assert.match(JSON.stringify(told.at(-1)!.body.messages), /whether it acted is unknown/);
  assert.deepEqual([asked('acting').length, asked('acting-api').length], [1, 1]);
  for (const gate of ['acting', 'acting-api']) held.release(gate);
}

/** Kills the worker while a person is asked, and again while what they approved is done. */
export async function workerKilledAroundApproval(place: Place): Promise<void> {
  const { satellite, asked, held, call, cluster } = place;
  const [worker] = cluster.workers;
  await satellite('approved', { acting: true });
  // Who asked may have gone by the time somebody approves.
  const member = await call('POST', '/api/team/members', { email: 'a@example.org', name: 'A person', role: 'member' });
  const scopes = ['chats:read', 'chats:write', 'chats:act', 'satellites:act'];
  const made = await call('POST', '/api/api-keys', { name: 'asks', scopes, user_id: member.json.user_id });
  const question = { messages: [{ role: 'user', content: questionTo('approved') }] };
  void call('POST', '/api/v1/chat', question, { key: made.json.api_key }).catch(() => {});
  const pending = await waitUntil(async () => (await call('GET', '/api/approvals?status=pending')).json.approvals[0], {
    what: 'an approval that is pending',
  });
  await worker!.kill();
  const path = `/api/approvals/${pending.id}`;
  const decided = await call('POST', path, { decision: 'approve', digest: pending.digest });
  assert.deepEqual([decided.status, decided.json.status], [200, 'approved']);
  assert.equal(asked('approved').length, 0);
  worker!.start();
  await held.waitForHold('approved');
  await worker!.kill();
  assert.equal((await call('GET', path)).json.status, 'used');
  worker!.start();
  held.release('approved');
  const answer = await waitUntil(
    async () => {
      const { json } = await call('GET', `/api/chat/${pending.conversation_id}`);
      return json.run === null ? json.messages.at(-1).turn : undefined;
    },
    { what: 'the end of the turn' },
  );
  assert.deepEqual([answer.status, answer.text], ['completed', 'It was restarted.']);
  assert.equal(asked('approved').length, 1);
}
