import assert from 'node:assert/strict';
import { defaultPayloadConverter } from '@temporalio/common';
import { z } from 'zod';
import type { InvestigationWorkflowResult } from '../../src/features/investigations/contract.ts';
import {
  confidenceAttribute,
  kindAttribute,
  outcomeAttribute,
  serviceAttribute,
  teamAttribute,
} from '../../temporal/search-attributes.ts';
import type { ToolContext } from '../../src/features/tools/tool.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startHarness, type Harness } from '../support/harness.ts';
import { byTurn, type ScriptedStep } from '../support/scripted-model/index.ts';
import { listSources, reportInput, submitReport } from '../support/scripts.ts';
import { sampleIncident } from '../support/telemetry-source.ts';

const lookAt = (metric: string): ScriptedStep => ({
  text: `Looking at ${metric}.`,
  toolUses: [{ name: 'search_metrics', input: { source: 'memory', text: metric } }],
});

describe('the investigation workflow', () => {
  let harness: Harness;
  afterEach(() => harness.stop());

  it('continues as new with everything it knows, under the same id', async () => {
    const steps = [listSources, lookAt('latency'), lookAt('errors'), lookAt('cpu'), lookAt('memory'), submitReport];
    harness = await startHarness({
      script: byTurn(steps),
      sources: [sampleIncident()],
      budget: { stepsPerHistory: 2 },
    });
    const id = await harness.investigate('a long one');
    assert.equal((await harness.untilEnded(id)).status, 'completed');

    // What Temporal lists comes a moment after what it knows.
    const runs = await waitUntil(
      async () => {
        const names: string[] = [];
        for await (const run of harness.temporal.workflow.list({ query: `WorkflowId = 'investigation-${id}'` }))
          names.push(run.status.name);
        return names.includes('RUNNING') || names.length < 3 ? undefined : names;
      },
      { what: 'the list of its runs' },
    );
    assert.deepEqual(runs.sort(), ['COMPLETED', 'CONTINUED_AS_NEW', 'CONTINUED_AS_NEW']);
    assert.equal(harness.model.requests.length, steps.length, 'no turn was asked for twice');
    const { body } = await harness.request('GET', `/api/investigations/${id}`);
    const detail = body as { steps: { step: number; tool_calls: { evidence: number }[] }[] };
    assert.deepEqual(
      detail.steps.map(({ step }) => step),
      [1, 2, 3, 4, 5, 6],
    );
    assert.deepEqual(
      detail.steps.flatMap((step) => step.tool_calls.map(({ evidence }) => evidence)),
      [1, 2, 3, 4, 5, 6],
    );
  });

  it('reads a message of a person at the next turn, also across continue-as-new and after a report', async () => {
    const script = byTurn([{ ...listSources, hold: { gate: 'first', at: 'start' } }, submitReport, submitReport]);
    harness = await startHarness({ script, sources: [sampleIncident()], budget: { stepsPerHistory: 1 } });
    const id = await harness.investigate('with a hint');
    await harness.model.waitForRequests(1);
    const answer = await harness.request('POST', `/api/investigations/${id}/messages`, { text: 'Look at payment.' });
    assert.equal(answer.status, 200);
    harness.model.release('first');
    await harness.untilEnded(id);
    const asked = harness.model.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
    assert.ok(!asked[0]!.includes('Look at payment.'));
    assert.ok(asked[1]!.includes('Look at payment.'));
  });

  it('shows the operator a title, live details, summaries and search attributes', async () => {
    const script = byTurn([listSources, { ...lookAt('latency'), hold: { gate: 'second', at: 'start' } }, submitReport]);
    harness = await startHarness({ script, sources: [sampleIncident()] });
    const id = await harness.investigate('What does the operator see?');
    await harness.model.waitForRequests(2);
    const handle = harness.temporal.workflow.getHandle(`investigation-${id}`);
    const details = await waitUntil(
      async () => {
        const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
        return metadata.currentDetails?.includes('step 2') ? metadata.currentDetails : undefined;
      },
      { what: 'the live details' },
    );
    assert.match(details, /^### What does the operator see\?\n\*\*thinking\*\* · step 2/);
    const page = `/investigation/${id})`;
    assert.match(details, /\n\[Open in Casebook\]\(http/);
    assert.ok(details.includes(page));
    assert.match(details, /List the telemetry sources: 1 source/);
    const running = await handle.describe();
    assert.equal(await running.staticSummary(), 'What does the operator see?');
    const [link, question] = (await running.staticDetails())?.split('\n\n') ?? [];
    assert.ok(link?.startsWith('[Open in Casebook](http') && link.endsWith(page), link);
    assert.equal(question, 'What does the operator see?');
    assert.equal(running.typedSearchAttributes.get(kindAttribute), 'investigation');
    assert.match(running.typedSearchAttributes.get(teamAttribute) ?? '', /^[0-9a-f-]{36}$/);

    harness.model.release('second');
    await harness.untilEnded(id);
    const result = (await handle.result()) as InvestigationWorkflowResult;
    assert.deepEqual(
      [result.status, result.service, result.url?.endsWith(`/investigation/${id}`)],
      ['completed', 'payment', true],
    );
    const ended = await handle.describe();
    assert.equal(ended.typedSearchAttributes.get(confidenceAttribute), result.confidence);
    assert.ok(result.confidence !== undefined && result.confidence > 0);
    assert.equal(ended.typedSearchAttributes.get(outcomeAttribute), 'completed');
    assert.equal(ended.typedSearchAttributes.get(serviceAttribute), 'payment');
    const { events } = await handle.fetchHistory();
    assert.ok(
      events?.every(
        ({ timerStartedEventAttributes: timer, userMetadata }) => !timer || userMetadata?.summary !== undefined,
      ),
      'every timer says what it waits for',
    );
    const summaries = (events ?? [])
      .filter((event) => event.activityTaskScheduledEventAttributes)
      .map((event) => event.userMetadata?.summary && defaultPayloadConverter.fromPayload(event.userMetadata.summary));
    assert.deepEqual(summaries, [
      'Open the case',
      'Model turn 1',
      'List the telemetry sources',
      'Model turn 2',
      'Search the metrics of memory for "latency"',
      'Model turn 3',
      'Submit report: payment: connection pool exhausted',
      'Record the result: completed',
    ]);
  });

  it('says in its title and over the API what a tool call waits for, and no longer once it goes on', async () => {
    const back = Promise.withResolvers<void>();
    const tool = {
      name: 'ask_satellite',
      description: 'Waits for its satellite.',
      input: z.strictObject({}),
      summarize: () => 'Ask the satellite',
      async run(_input: unknown, { onWait }: ToolContext) {
        using _waiting = onWait?.('satellite shop');
        await back.promise;
        return { content: 'back', digest: 'back' };
      },
    };
    const asks: ScriptedStep = { text: 'I ask.', toolUses: [{ name: 'ask_satellite', input: {} }] };
    harness = await startHarness({
      script: byTurn([listSources, asks, { ...lookAt('latency'), hold: { gate: 'on', at: 'start' } }, submitReport]),
      sources: [sampleIncident()],
      tools: [tool],
    });
    const id = await harness.investigate('Who waits?');
    const handle = harness.temporal.workflow.getHandle(`investigation-${id}`);
    const titled = (title: RegExp) =>
      waitUntil(
        async () => {
          const { currentDetails } = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
          return title.test(currentDetails ?? '') || undefined;
        },
        { what: `the title ${title.source}` },
      );
    const waitingFor = async () => {
      const { body } = await harness.request('GET', `/api/investigations/${id}`);
      return (body as { progress: { waiting_for: string | null } | null }).progress?.waiting_for;
    };
    await titled(/^### Waiting for satellite shop: Who waits\?\n/);
    await waitUntil(async () => (await waitingFor()) === 'satellite shop' || undefined, { what: 'the wait' });
    back.resolve();
    await harness.model.waitForRequests(3);
    await titled(/^### Who waits\?\n/);
    await waitUntil(async () => (await waitingFor()) === null || undefined, { what: 'the end of the wait' });
    harness.model.release('on');
    assert.equal((await harness.untilEnded(id)).status, 'completed');
  });

  it('keeps the history small however much a tool returns: ids and digests cross, not results', async () => {
    const huge = 'x'.repeat(3_000_000);
    const tool = {
      name: 'dump',
      description: 'Returns a lot.',
      input: z.object({}),
      summarize: () => 'Dump',
      run: async () => ({ content: huge, digest: 'a lot' }),
    };
    const citing = reportInput({ citations: [{ n: 1, evidence: 1, excerpts: ['xxxxxxxxxxxxxxxx'] }] });
    const script = byTurn([{ toolUses: [{ name: 'dump' }] }, { toolUses: [{ name: 'submit_report', input: citing }] }]);
    harness = await startHarness({ script, tools: [tool] });
    const id = await harness.investigate('how big?');
    assert.equal((await harness.untilEnded(id)).status, 'completed');
    const { raw } = await harness.temporal.workflow.getHandle(`investigation-${id}`).describe();
    assert.ok(Number(raw.workflowExecutionInfo?.historySizeBytes) < 30_000);
    const asked = JSON.stringify(harness.model.requests[1]!.body);
    assert.ok(asked.length < 80_000, 'the model sees a bounded view');
    assert.match(asked, /read_tool_result/);
  });
});
