/** People and operators step in while a run is under way, and what a crash between two systems leaves is swept up. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { forTeam } from '../../src/db/team-filter.ts';
import { investigationRuns } from '../../src/features/investigations/index.ts';
import { investigationWorkflowId } from '../../src/features/investigations/contract.ts';
import { startInvestigation } from '../../src/features/investigations/service.ts';
import { sweepRuns } from '../../src/features/runs/index.ts';
import { defineTool } from '../../src/features/tools/tool.ts';
import { mostAttempts, withoutGivenUp } from '../support/given-up.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import type { ScriptedStep } from '../support/scripted-model/index.ts';
import { reportInput, submitReport } from '../support/scripts.ts';
import { byCase, caseOf, CaseRun, lastMessage, queryOf } from './support/by-case.ts';

const atOnce = { graceMs: 0, silenceMs: 0, batch: 100 };

/** A tool that works until it is told to stop, or let go. */
class Slow {
  started = 0;
  stopped = 0;
  #release: (() => void)[] = [];

  release(): void {
    for (const resolve of this.#release) resolve();
  }

  readonly tool = defineTool({
    name: 'slow',
    description: 'Works until it is told to stop.',
    input: z.strictObject({}),
    summarize: () => 'slow',
    run: (_input, { signal }) => {
      this.started += 1;
      signal.addEventListener('abort', () => (this.stopped += 1), { once: true });
      return new Promise((resolve) => this.#release.push(() => resolve({ content: 'done at last', digest: 'done' })));
    },
  });
}

const callSlow: ScriptedStep = { text: 'This may take a while.', toolUses: [{ name: 'slow' }] };
const submit: ScriptedStep = {
  toolUses: [
    { name: 'submit_report', input: reportInput({ citations: [{ n: 1, evidence: 1, excerpts: ['done at last'] }] }) },
  ],
};
const held: ScriptedStep = { text: 'Let me think about that for a while.', hold: { gate: 'never', at: 'middle' } };

describe('stepping in', () => {
  let harness: Harness;
  let slow: Slow;

  beforeEach(() => {
    slow.started = 0;
    slow.stopped = 0;
  });
  before(async () => {
    slow = new Slow();
    harness = await startHarness({
      tools: [slow.tool],
      script: byCase({
        'cancel-tool': [callSlow, submit],
        'cancel-model': [held],
        message: [callSlow, submit],
        unstarted: [{ toolUses: [{ name: 'list_sources' }] }, submitReport],
        'unstarted-cancelled': [held],
        terminated: [callSlow],
        'operator-cancelled': [callSlow],
      }),
    });
  });
  after(() => harness?.stop());

  const post = (run: CaseRun, action: string, body?: unknown) =>
    harness.request('POST', `/api/investigations/${run.id}/${action}`, body);
  const startedTool = async (name: string): Promise<CaseRun> => {
    const run = await CaseRun.start(harness, name);
    await run.until(() => slow.started > 0, 'the tool to start');
    return run;
  };
  const workflowOf = ({ id }: CaseRun) => harness.temporal.workflow.getHandle(investigationWorkflowId(id));

  /** Once, or as often as it was tried where Temporal gave it up. */
  const checkOnce = async (run: CaseRun, activity: string, count: number): Promise<void> =>
    assert.deepEqual(withoutGivenUp([count], [1], await mostAttempts(workflowOf(run), activity)), [1]);

  it('cancel in the middle of a tool call: the tool is told to stop, and the run is cancelled', async () => {
    const run = await startedTool('cancel-tool');
    assert.equal((await post(run, 'cancel')).status, 200);
    const detail = await run.ended();
    assert.equal(detail.status, 'cancelled');
    await checkOnce(run, 'callTool', slow.stopped);
    assert.match(detail.investigation_text, /Stopped on request/);
    assert.equal(detail.steps[0]!.tool_calls[0]!.status, 'cancelled');
    await checkOnce(run, 'modelTurn', run.requests.length);
    assert.equal((await workflowOf(run).result()).status, 'cancelled');
  });

  it('cancel in the middle of a model turn: the request is dropped', async () => {
    const run = await CaseRun.start(harness, 'cancel-model');
    await harness.model.waitForHold('never');
    assert.equal((await post(run, 'cancel')).status, 200);
    assert.equal((await run.ended()).status, 'cancelled');
    await run.until(({ requests }) => requests.every(({ aborted }) => aborted), 'the request to be dropped');
    await checkOnce(run, 'modelTurn', run.requests.length);
  });

  it('a message in the middle of a run: the next model turn reads it, once', async () => {
    const run = await startedTool('message');
    const text = 'It began right after the deploy of payment.';
    assert.equal((await post(run, 'messages', { text })).status, 200);
    slow.release();
    const detail = await run.ended();
    assert.equal(detail.status, 'completed');
    assert.match(lastMessage(run.requests[1]!), new RegExp(`<user_message>\n${text}\n</user_message>`));
    assert.equal(JSON.stringify(run.requests[1]!.body.messages).split(text).length, 2);
    assert.deepEqual(
      detail.messages.map((message) => [message.text, message.delivered_step]),
      [[text, 2]],
    );
  });

  describe('an operator in the Temporal UI', () => {
    it('cancels a workflow: the investigation is cancelled, and its tool is told', async () => {
      const run = await startedTool('operator-cancelled');
      await workflowOf(run).cancel();
      const detail = await run.ended();
      assert.equal(detail.status, 'cancelled');
      await checkOnce(run, 'callTool', slow.stopped);
      assert.notEqual(detail.investigation_text.trim(), '');
    });

    it('terminates a workflow: the investigation is failed, with an explanation', async () => {
      const run = await startedTool('terminated');
      await workflowOf(run).terminate('no longer needed');
      await sweepRuns(harness.api.deps.investigations, investigationRuns, atOnce);
      const detail = await run.ended();
      assert.equal(detail.status, 'failed');
      assert.match(detail.investigation_text, /ended in Temporal without recording its result \(terminated\)/);
      const { events } = harness.api.deps;
      const types = (await events.read(`conversation:${run.id}`)).map(({ type }) => type);
      assert.equal(types.at(-1), 'run.failed');
    });
  });

  describe('what was committed and never started', () => {
    /** What a crash between the commit and the start leaves behind. */
    const commitOnly = async (name: string): Promise<CaseRun> => {
      const { investigations } = harness.api.deps;
      const { items } = (await harness.request('GET', '/api/investigations?count=1')).body as {
        items: { id: string }[];
      };
      assert.ok(items.length > 0);
      const [{ team_id: teamId }] = await harness.database.orm.em
        .fork()
        .execute<[{ team_id: string }]>('select team_id from runs limit 1');
      const crashed = { ...investigations.launcher, start: () => Promise.reject(new Error('the process died here')) };
      const row = await startInvestigation(
        { ...investigations, launcher: crashed },
        forTeam(harness.database.orm.em, teamId),
        { teamId, scopes: ['team:admin'] },
        { query: queryOf(name) },
      );
      return new CaseRun(harness, name, row.id);
    };

    it('is started by the sweeper, once however often it sweeps', async () => {
      const run = await commitOnly('unstarted');
      assert.equal(harness.model.requests.filter((request) => caseOf(request) === 'unstarted').length, 0);
      const { investigations } = harness.api.deps;
      await Promise.all([
        sweepRuns(investigations, investigationRuns, atOnce),
        sweepRuns(investigations, investigationRuns, atOnce),
      ]);
      assert.equal((await run.ended()).status, 'completed');
      await sweepRuns(investigations, investigationRuns, atOnce);
      assert.equal(run.requests.length, 2);
    });

    it('is cancelled without being started when that was asked for', async () => {
      const run = await commitOnly('unstarted-cancelled');
      assert.equal((await post(run, 'cancel')).status, 200);
      assert.equal((await run.ended()).status, 'cancelled');
      await sweepRuns(harness.api.deps.investigations, investigationRuns, atOnce);
      assert.equal(run.requests.length, 0);
    });
  });
});
