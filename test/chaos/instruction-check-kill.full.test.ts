/** `kill -9` of the only worker while a check is carried out, and while a plan is drafted: each goes on, once. */
import assert from 'node:assert/strict';
import { waitUntil } from '../support/wait-until.ts';
import { chatTurnWorkflowId } from '../../src/features/chats/contract.ts';
import { instructionCheckWorkflowId } from '../../src/features/monitoring-agents/contract.ts';
import { ask, byQuestion, questionOf, taskOf } from '../features/chats/script.ts';
import { check, instruction, update, use } from '../features/monitoring-agents/conversation/support.ts';
import { startCluster, type Cluster } from '../support/cluster.ts';
import { mostAttemptsOn, withoutGivenUp } from '../support/given-up.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';

const observations = [{ subject: 'sources', text: 'There are sources.', evidence: [1], excerpts: ['"sources":'] }];
const held = (gate: string, step: ScriptedStep) => ({ ...step, hold: { gate, at: 'start' as const } });

interface Session {
  id: string;
  status: string;
}

describe('kill -9 of the worker of a monitoring agent @never-forgiven', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster({
      script: byQuestion({
        look: [
          use('list_sources'),
          held('look', use('submit_check_result', { status: 'finding', summary: 'There are.', observations })),
        ],
        draft: [
          update({ plan: { checks: [check('health')] }, base_version: 1 }),
          held('draft', { text: 'I watch the shop.' }),
        ],
      }),
      apis: 1,
      workers: 1,
    });
  });
  after(() => cluster?.stop());

  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: never }> => {
    const response = await fetch(cluster.apis[0]!.url + path, {
      method,
      headers: { 'x-api-key': cluster.apiKey, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as never };
  };
  const asked = (name: string): number[] =>
    [0, 1].map(
      (wanted) =>
        cluster.model.requests.filter(({ body }) => {
          const question = questionOf(body);
          return taskOf(body) === undefined && question.name === name && question.step === wanted;
        }).length,
    );

  it('in the middle of a model turn of each: only that turn is asked again, and what was done stays done', async () => {
    const plan = { checks: [instruction('look', ask('look', 'Are there sources?'))] };
    const { body: watching } = await call('POST', '/api/monitoring-chat', { message: 'Watch.', plan });
    const { chat_id: agentId } = watching as { chat_id: string };
    const drafting = call('POST', '/api/monitoring-chat', { message: ask('draft', 'Watch the shop.') });
    await Promise.all(['look', 'draft'].map((gate) => cluster.model.waitForHold(gate)));

    const [worker] = cluster.workers;
    await worker!.kill();
    for (const gate of ['look', 'draft']) cluster.model.release(gate);
    worker!.start();

    const sessions = await waitUntil(
      async () => {
        const { body } = await call('GET', `/api/monitoring-chat/${agentId}/sessions`);
        const found = (body as { sessions: Session[] }).sessions;
        return found.some(({ status }) => status !== 'running') ? found : undefined;
      },
      { what: 'the end of the check' },
    );
    assert.deepEqual(
      sessions.map(({ status }) => status),
      ['finding'],
    );
    const { body: session } = await call('GET', `/api/monitoring-chat/${agentId}/sessions/${sessions[0]!.id}`);
    assert.deepEqual(
      (session as { tool_calls: { name: string }[] }).tool_calls.map(({ name }) => name),
      ['list_sources', 'submit_check_result'],
    );
    const { status, body: drafted } = await drafting;
    const {
      chat_id: draftId,
      plan_version: version,
      response,
    } = drafted as { chat_id: string; plan_version: number; response: string };
    assert.deepEqual([status, version, response], [200, 2, 'I watch the shop.']);
    const { body: chat } = await call('GET', `/api/chat/${draftId}`);
    const turnId = (chat as { messages: { id: string }[] }).messages.at(-1)!.id;
    for (const [name, workflowId] of [
      ['look', instructionCheckWorkflowId(sessions[0]!.id)],
      ['draft', chatTurnWorkflowId(turnId)],
    ] as const) {
      const { modelTurn } = await mostAttemptsOn(cluster.temporal, workflowId, 'modelTurn');
      assert.deepEqual(withoutGivenUp(asked(name), [1, 2], modelTurn), [1, 2], name);
    }
  });
});
