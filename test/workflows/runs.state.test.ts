import assert from 'node:assert/strict';
import type { ModelTurnResult, RunBudget } from '../../src/features/runs/contract.ts';
import { RunState } from '../../workflows/runs.state.ts';

const budget: RunBudget = {
  maxSteps: 3,
  maxCostUsd: 1,
  maxWallSeconds: 60,
  toolTimeoutSeconds: 10,
  approvalSeconds: 60,
};
const START = 1_000_000;

function turn(state: RunState, result: Partial<ModelTurnResult> = {}): void {
  const step = state.beginTurn('thinking');
  state.turnEnded({ step, stopReason: 'tool_use', costUsd: 0.1, toolCalls: [], ...result });
}

const call = { toolCallId: 'id', evidence: 1, name: 'promql', summary: 's', fingerprint: 'f' };

describe('run state', () => {
  it('reaches no limit at the start', () => {
    assert.equal(new RunState(budget, START).reachedLimit(START), undefined);
  });

  it('names the limit of steps once they are done', () => {
    const state = new RunState(budget, START);
    for (let step = 0; step < 3; step += 1) {
      assert.equal(state.reachedLimit(START), undefined);
      turn(state, { toolCalls: [call] });
    }
    assert.equal(state.reachedLimit(START), 'steps');
  });

  it('says in its title and progress what its calls wait for, and no longer once they go on', () => {
    const state = new RunState(budget, START);
    state.callWaits('a', 'satellite shop');
    state.callWaits('b', 'satellite shop');
    assert.equal(state.progress().waitingFor, 'satellite shop');
    assert.match(state.details('Checkout fails'), /^### Waiting for satellite shop: Checkout fails\n/);
    state.callWaits('a');
    assert.equal(state.progress().waitingFor, 'satellite shop');
    state.callWaits('b');
    assert.equal(state.progress().waitingFor, undefined);
    assert.match(state.details('Checkout fails'), /^### Checkout fails\n/);
  });

  it('names the cost once it is spent, and the time once it is over', () => {
    const costly = new RunState(budget, START);
    turn(costly, { costUsd: 1, toolCalls: [call] });
    assert.equal(costly.reachedLimit(START), 'cost');
    const slow = new RunState(budget, START);
    assert.equal(slow.remainingMs(START + 59_999), 1);
    assert.equal(slow.reachedLimit(START + 60_000), 'wall_time');
  });

  it('stops the clock while a call waits for a person', () => {
    const state = new RunState(budget, 0);
    state.waitBegan(10_000);
    state.waitBegan(20_000);
    state.waitEnded(100_000);
    assert.deepEqual([state.phase, state.remainingMs(500_000)], ['awaiting_approval', 50_000]);
    state.waitEnded(1_000_000);
    assert.deepEqual([state.phase, state.remainingMs(1_000_000)], ['using_tools', 50_000]);
    assert.equal(state.remainingMs(1_050_000), 0);
  });

  it('stops asking after three turns without a tool call, and a call in between starts the count anew', () => {
    const state = new RunState({ ...budget, maxSteps: 100 }, START);
    for (const toolCalls of [[], [], [call], [], []]) turn(state, { toolCalls });
    assert.equal(state.reachedLimit(START), undefined);
    turn(state, { toolCalls: [] });
    assert.equal(state.reachedLimit(START), 'no_report');
  });

  it('answers the third identical call from the record and ends the run at the fifth', () => {
    const state = new RunState({ ...budget, maxSteps: 100 }, START);
    const answers = [1, 2, 3, 4].map((evidence) => state.noteCall('same', evidence));
    assert.deepEqual(answers, [undefined, undefined, 1, 1]);
    state.noteCall('other', 9);
    assert.equal(state.reachedLimit(START), undefined);
    state.noteCall('same', 5);
    assert.equal(state.reachedLimit(START), 'repeated_calls');
  });

  it('carries everything that counts over continue-as-new', () => {
    const state = new RunState({ ...budget, maxSteps: 100 }, START);
    turn(state, { costUsd: 0.5, toolCalls: [call] });
    state.noteCall('same', 1);
    state.noteCall('same', 2);
    state.messageArrived();
    state.cancel = { reason: 'enough' };
    state.know('a fact');
    const carried: unknown = JSON.parse(JSON.stringify(state.carry()));
    const next = new RunState(budget, START + 30_000, carried as ReturnType<RunState['carry']>);
    assert.equal(next.step, 1);
    assert.equal(next.costUsd, 0.5);
    assert.equal(next.remainingMs(START + 30_000), 30_000);
    assert.equal(next.noteCall('same', 3), 1);
    assert.equal(next.carry().pendingMessages, 1);
    assert.deepEqual(next.cancel, { reason: 'enough' });
    assert.equal(next.stepsInHistory, 0);
    assert.match(next.details('Title'), /a fact/);
  });

  describe('is done', () => {
    const accepted = { digest: 'report', isError: false, finished: true };
    const handIn = (state: RunState): ModelTurnResult => {
      const result: ModelTurnResult = { step: 0, stopReason: 'tool_use', costUsd: 0, toolCalls: [call] };
      turn(state, result);
      state.callEnded('Submit report', accepted);
      return result;
    };
    const quiet: ModelTurnResult = { step: 0, stopReason: 'end_turn', costUsd: 0, toolCalls: [] };

    it('when its result was accepted, and not when it was refused', () => {
      const refused = new RunState(budget, START);
      turn(refused, { toolCalls: [call] });
      refused.callEnded('Submit report', { ...accepted, isError: true, finished: false });
      assert.ok(!refused.isDone({ ...quiet, toolCalls: [call] }));
      const state = new RunState(budget, START);
      assert.ok(state.isDone(handIn(state)));
    });

    it('only after it has read a message that came with the result', () => {
      const state = new RunState(budget, START);
      const turned = handIn(state);
      state.messageArrived();
      assert.ok(!state.isDone(turned));
      turn(state, quiet);
      assert.ok(state.isDone(quiet), 'it has nothing to add');
    });

    it('not while it acts on that message, until it hands in again', () => {
      const state = new RunState({ ...budget, maxSteps: 10 }, START);
      handIn(state);
      state.messageArrived();
      const looking = { ...quiet, toolCalls: [call] };
      turn(state, looking);
      assert.ok(!state.isDone(looking));
      assert.ok(state.isDone(handIn(state)));
    });
  });

  it('shows the operator phase, plan and the last twelve things it knows', () => {
    const state = new RunState(budget, START);
    turn(state);
    for (let number = 1; number <= 20; number += 1) state.know(`fact ${number}.`);
    state.callEnded('Plan', { digest: 'two items', isError: false, finished: false, plan: { done: 1, total: 2 } });
    const details = state.details('Checkout fails');
    assert.match(details, /^### Checkout fails\n\*\*thinking\*\* · step 1 .* plan 1\/2/);
    assert.ok(!details.includes('fact 8.'));
    assert.match(details, /- fact 20\.\n- Plan: two items$/);
  });
});
