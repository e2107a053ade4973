import assert from 'node:assert/strict';
import { anyTeam } from '../../../../src/db/team-filter.ts';
import { waitUntil } from '../../../support/wait-until.ts';
import { Finding, MonitoringSession } from '../../../../src/features/monitoring-agents/entities.ts';
import { Conversation } from '../../../../src/features/transcripts/index.ts';
import { sampleIncident } from '../../../support/telemetry-source.ts';
import { ask, Chats, type Lines } from '../../chats/support.ts';
import { instruction, lastResults, tell, use } from '../conversation/support.ts';

interface Session {
  id: string;
  status: string;
  summary: string | null;
  observations: { subject: string; is_finding: boolean; text: string; service: string | null }[];
  cost: number;
  input_tokens: number;
  model: string | null;
  budget_spent: boolean;
  evidence: { source: string; answer: { tool_call_id: string; excerpts: string[] } }[];
  tool_calls: { id: string; evidence: number; name: string; is_error: boolean }[];
  workflow_id: string;
}

const look = use('search_logs', { source: 'shop', service: 'db', text: 'pool exhausted' });
const EXCERPT = 'pool exhausted';
const observation = { subject: 'db', text: 'The pool of db is exhausted.', service: 'db', evidence: [1] };
const submit = (input: object) => use('submit_check_result', { summary: 'The pool of db is exhausted.', ...input });
const usage = { input_tokens: 1_000, output_tokens: 100 };

const lines: Record<string, Lines> = {
  finding: [
    { ...look, usage },
    submit({ status: 'finding', observations: [{ ...observation, excerpts: ['the pool is full of fish'] }] }),
    submit({ status: 'finding', observations: [{ ...observation, evidence: [9], excerpts: [EXCERPT] }] }),
    submit({ status: 'finding', observations: [{ ...observation, excerpts: [EXCERPT] }] }),
  ],
  blind: [submit({ status: 'ok', summary: 'All is well.' }), submit({ status: 'failed', summary: 'I saw nothing.' })],
  fine: [look, submit({ status: 'ok', summary: 'All is well.', observations: [{ subject: 'db', text: 'Calm.' }] })],
  endless: ({ step }) => use('search_logs', { source: 'shop', text: `step ${step}` }),
  talks: [
    look,
    { text: 'I think that all is well.' },
    { text: 'Yes.' },
    { text: 'Really.' },
    { text: 'Yes.' },
    { text: 'It is.' },
  ],
  held: [{ ...look, hold: { gate: 'held', at: 'start' } }],
  removed: [{ ...look, hold: { gate: 'removed', at: 'start' } }],
  deleted: [{ ...look, hold: { gate: 'deleted', at: 'start' } }],
  long: [
    look,
    use('search_logs', { source: 'shop', text: 'GET' }),
    use('search_logs', { source: 'shop', text: 'took' }),
    submit({ status: 'finding', observations: [{ ...observation, evidence: [1, 2, 3], excerpts: [EXCERPT] }] }),
  ],
};

describe('an instruction check', () => {
  let chats: Chats;
  before(async () => {
    chats = await Chats.start({ lines, sources: [sampleIncident()], budget: { stepsPerHistory: 3 } });
  });
  after(() => chats?.stop());

  /** An agent with one such check, which is run at once. */
  const watch = (name: string, more: object = {}, agent: object = {}) =>
    tell(chats, {
      message: name,
      plan: { checks: [instruction('look', ask(name, 'Is the pool full?'), more)] },
      ...agent,
    });
  const sessionsOf = async (chatId: string): Promise<Session[]> => {
    const { body } = await chats.call('GET', `/api/monitoring-chat/${chatId}/sessions`);
    return (body as { sessions: Session[] }).sessions;
  };
  const ended = (chatId: string, runs = 1): Promise<Session> =>
    waitUntil<Session>(
      async () => {
        const sessions = (await sessionsOf(chatId)).filter(({ status }) => status !== 'running');
        if (sessions.length < runs) return undefined;
        return (await chats.call('GET', `/api/monitoring-chat/${chatId}/sessions/${sessions[0]!.id}`)).body;
      },
      { what: `the end of run ${runs} of agent ${chatId}` },
    );
  const findingsOf = (agentId: string) =>
    chats.harness.database.orm.em.fork().find(Finding, { agentId, origin: 'check' }, anyTeam);
  const runNow = async (chatId: string): Promise<void> => {
    assert.equal((await chats.call('POST', `/api/monitoring-chat/${chatId}/run`, {})).status, 200);
  };
  /** What the agent's workflow knows of its check. */
  const standing = async (chatId: string) => {
    const { body } = await chats.call('GET', `/api/monitoring-chat/${chatId}/plan`);
    return (body as { checks: { running: boolean; last: { status: string; session_id: string } | null }[] }).checks[0];
  };

  it('finds something, and cites it word for word; what does not hold is refused', async () => {
    const { chat_id } = await watch('finding');
    const session = await ended(chat_id);
    assert.deepEqual([session.status, session.summary], ['finding', 'The pool of db is exhausted.']);
    assert.deepEqual(session.observations[0], {
      subject: 'db',
      is_finding: true,
      text: 'The pool of db is exhausted.',
      service: 'db',
      value: null,
      expected: null,
      unit: null,
    });
    const refused = [2, 3].map((at) => lastResults(chats.requests('finding').at(at)));
    assert.match(refused[0] ?? '', /full of fish.*not in the cited evidence/);
    assert.match(refused[1] ?? '', /evidence 9 does not exist/);
    assert.ok(session.cost > 0 && session.input_tokens >= 1_000 && session.model !== null);
    const [finding] = await findingsOf(chat_id);
    assert.deepEqual([finding?.status, finding?.service], ['open', 'db']);
    await waitUntil(async () => ((await standing(chat_id))?.last?.status === 'finding' ? true : undefined), {
      what: 'the agent to hear of it',
    });
  });

  it('shows what it looked at, to who may read what agents saw', async () => {
    const { chat_id } = await watch('fine');
    const { tool_calls: calls, workflow_id: workflowId, ...session } = await ended(chat_id);
    assert.deepEqual([session.status, session.observations[0]?.is_finding], ['ok', false]);
    assert.deepEqual(
      calls.map(({ evidence, name }) => [evidence, name]),
      [
        [1, 'search_logs'],
        [2, 'submit_check_result'],
      ],
    );
    assert.equal(workflowId, `check-${session.id}`);
    const [reader, other] = await Promise.all([chats.key('monitoring:read'), chats.key('chats:read')]);
    const path = `/api/tool-results/${calls[0]?.id}`;
    const { status, body } = await chats.call('GET', path, undefined, { key: reader });
    assert.equal(status, 200);
    assert.ok((body as { content: string }).content.includes(EXCERPT));
    assert.equal((await chats.call('GET', path, undefined, { key: other })).status, 403);
    assert.deepEqual(await findingsOf(chat_id), []);
    const names = chats.requests('fine')[0]?.body.tools?.map(({ name }) => name) ?? [];
    for (const name of ['start_investigation', 'update_monitoring_plan', 'write_file'])
      assert.ok(!names.includes(name));
  });

  it('is told what earlier runs judged, by name', async () => {
    const { chat_id } = await watch('fine');
    await ended(chat_id);
    await runNow(chat_id);
    await ended(chat_id, 2);
    assert.match(JSON.stringify(chats.requests('fine').at(-1)?.body.messages[0]), /earlier_subjects.*was_finding/);
  });

  it('is not green without having looked', async () => {
    const { chat_id } = await watch('blind');
    const { status, summary } = await ended(chat_id);
    assert.deepEqual([status, summary], ['failed', 'I saw nothing.']);
    assert.match(lastResults(chats.requests('blind').at(1)), /Nothing was looked at/);
  });

  it('has failed when a limit ends it without a result, and says which', async () => {
    const { chat_id } = await watch('endless', { max_steps: 2 });
    const { status, summary } = await ended(chat_id);
    assert.deepEqual([status, summary], ['failed', 'No result: it reached its step limit.']);
    const choice = chats.requests('endless').at(-1)?.body.tool_choice;
    assert.deepEqual(choice, { type: 'tool', name: 'submit_check_result' });
  });

  it('has failed when the model only talks', async () => {
    const { chat_id } = await watch('talks');
    const { status, summary } = await ended(chat_id);
    assert.deepEqual([status, summary], ['failed', 'No result: the model submitted no result.']);
  });

  it('survives continue-as-new', async () => {
    const { chat_id } = await watch('long');
    const session = await ended(chat_id);
    assert.deepEqual([session.status, session.evidence.length], ['finding', 3]);
    const { temporal } = chats.harness;
    const runs: string[] = [];
    const query = `WorkflowId = '${session.workflow_id}'`;
    await waitUntil(
      async () => {
        runs.length = 0;
        for await (const { status } of temporal.workflow.list({ query })) runs.push(status.name);
        return !runs.includes('RUNNING') && runs.length > 1 ? true : undefined;
      },
      { what: 'both runs of the workflow' },
    );
    assert.deepEqual(runs.toSorted(), ['COMPLETED', 'CONTINUED_AS_NEW']);
  });

  it('is not carried out when the model budget is spent, and says so', async () => {
    const { chat_id } = await watch('fine', {}, { model_budget_usd_per_day: 0 });
    const { status, summary, budget_spent: spent, tool_calls: calls } = await ended(chat_id);
    assert.deepEqual([status, spent, calls], ['failed', true, []]);
    assert.match(summary ?? '', /daily model budget is spent/);
  });

  for (const [name, how, change] of [
    ['held', 'the agent is paused', { active: false }],
    ['removed', 'the plan does not have it any more', { plan: { checks: [{ id: 'look', remove: true }] } }],
  ] as const) {
    it(`is stopped when ${how}, and nothing of it is told`, async () => {
      const { chat_id } = await watch(name);
      await chats.harness.model.waitForHold(name);
      assert.equal((await chats.call('PATCH', `/api/monitoring-chat/${chat_id}/plan`, change)).status, 200);
      const { status, summary, workflow_id: id } = await ended(chat_id);
      assert.equal(status, 'cancelled');
      assert.match(summary ?? '', /^Superseded/);
      assert.deepEqual(await findingsOf(chat_id), []);
      assert.deepEqual(await chats.harness.temporal.workflow.getHandle(id).result(), { status: 'cancelled' });
    });
  }

  it('leaves nothing of an agent that was deleted while it ran', async () => {
    const { chat_id } = await watch('deleted');
    await chats.harness.model.waitForHold('deleted');
    const [session] = await sessionsOf(chat_id);
    assert.equal(session?.status, 'running');
    assert.equal((await chats.call('DELETE', `/api/monitoring-chat/${chat_id}`)).status, 200);
    await chats.harness.temporal.workflow.getHandle(`check-${session.id}`).result();
    const em = () => chats.harness.database.orm.em.fork();
    await waitUntil(
      async () => {
        const left = await em().count(MonitoringSession, { agentId: chat_id }, anyTeam);
        const said = await em().count(Conversation, { id: session.id }, anyTeam);
        return left + said === 0 ? true : undefined;
      },
      { what: 'the rows of the agent to be gone' },
    );
  });
});
