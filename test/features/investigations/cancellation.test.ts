import assert from 'node:assert/strict';
import { startHarness, type Harness } from '../../support/harness.ts';
import { shortInvestigation } from '../../support/scripts.ts';
import { sampleIncident } from '../../support/telemetry-source.ts';

describe('a cancellation that overtakes the start', () => {
  let harness: Harness;
  before(async () => {
    harness = await startHarness({ script: shortInvestigation, sources: [sampleIncident()] });
  });
  after(() => harness?.stop());

  it('stops the run before it calls the model, and is its last event', async () => {
    const { investigations, events } = harness.api.deps;
    const usual = investigations.launcher;
    const committed = Promise.withResolvers<string>();
    const cancelled = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    investigations.launcher = {
      ...usual,
      async start(investigation) {
        committed.resolve(investigation.id);
        await cancelled.promise;
        await usual.start(investigation).then(started.resolve, started.reject);
      },
    };
    const id = await harness.investigate('cancel me first');
    assert.equal(await committed.promise, id);
    assert.equal((await harness.request('POST', `/api/investigations/${id}/cancel`)).status, 200);
    cancelled.resolve();
    await started.promise;
    const result: unknown = await harness.temporal.workflow.getHandle(`investigation-${id}`).result();
    assert.deepEqual(result, { status: 'cancelled', url: `http://localhost:0/investigation/${id}` });
    assert.equal((await harness.untilEnded(id)).status, 'cancelled');
    assert.equal(harness.model.requests.length, 0);
    assert.equal((await events.read(`conversation:${id}`)).at(-1)?.type, 'run.cancelled');
  });
});
