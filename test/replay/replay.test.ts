import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../support/own-programs.ts';

const folder = join(import.meta.dirname, 'histories');
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

type StoredHistory = {
  events: { eventType: string; activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[];
};
const load = (name: string): StoredHistory => JSON.parse(readFileSync(join(folder, name), 'utf8')) as StoredHistory;

const today = async () => ({ workflowBundle: { codePath: await workflowBundle() } });

describe('replay of stored histories', () => {
  it('has the kinds of ends a run can have', () => {
    for (const kind of [
      'completed',
      'continued-as-new',
      'limit-of-steps',
      'repeated-calls',
      'failed-model',
      'cancelled',
      'message',
      'chat-answered',
      'chat-continued-as-new',
      'chat-compacted',
      'chat-failed-model',
      'chat-cancelled',
      'finding',
      'finding-continued-as-new',
      'check-finding',
      'check-continued-as-new',
      'check-without-result',
      'check-cancelled',
      'agent-scheduled',
      'agent-changed',
      'agent-degraded',
      'agent-instruction',
      'agent-continued-as-new',
      'mirror',
      'mirror-continued-as-new',
      'mirror-refused',
      'pull-request-opened',
      'pull-request-refused',
      'pull-request-conflict',
    ]) {
      assert.ok(names.includes(`${kind}.json`), kind);
    }
  });

  it('tells nothing of the machine they were recorded on', () => {
    for (const name of names) {
      const text = readFileSync(join(folder, name), 'utf8');
      assert.doesNotMatch(text, /file:\/\/\/|127\.0\.0\.1|localhost/, name);
      assert.ok(!text.includes(process.cwd()), name);
      // What one workflow says to another, the server itself writes down.
      const identities = new Set(text.match(/"identity": "(?!history-service")[^"]*"/g));
      assert.deepEqual(identities, new Set(['"identity": "1@worker"']), name);
    }
  });

  it("today's workflow code takes every one of them the same way", async () => {
    const histories = names.map((name) => ({ workflowId: name, history: load(name) }));
    const replayed: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(await today(), histories)) {
      assert.equal(error, undefined, `${workflowId}: ${error?.message}`);
      replayed.push(workflowId);
    }
    assert.deepEqual(replayed.sort(), names.sort());
  });

  it('a change of the workflow would be noticed', async () => {
    const history = load('completed.json');
    for (const event of history.events) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled?.activityType.name === 'modelTurn') scheduled.activityType.name = 'somethingElse';
    }
    await assert.rejects(Worker.runReplayHistory(await today(), history), { name: 'DeterminismViolationError' });
  });

  it('a change behind `patched` lets agents go on that began before it, and without it they could not', async () => {
    const agents = names.filter((name) => name.startsWith('agent-'));
    assert.ok(agents.length >= 6);
    const histories = agents.map((name) => ({ workflowId: name, history: load(name) }));
    const errorsAfter = async (file: string): Promise<(string | undefined)[]> => {
      const changed = join(import.meta.dirname, 'changed', file);
      const errors: (string | undefined)[] = [];
      for await (const { error } of Worker.runReplayHistories({ workflowsPath: changed }, histories))
        errors.push(error?.name);
      return errors;
    };
    const each = (error: string | undefined) => agents.map(() => error);
    assert.deepEqual(await errorsAfter('guarded.ts'), each(undefined));
    assert.deepEqual(await errorsAfter('unguarded.ts'), each('DeterminismViolationError'));
  });
});
