/** The graph of an investigation over the API, from rows as a run leaves them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../../src/db/team-filter.ts';
import { ToolCall } from '../../../../src/features/transcripts/index.ts';
import { startApiOverRows, type ApiOverRows } from '../../../support/api-over-rows.ts';
import { storeInvestigation } from '../../../support/investigation-rows.ts';

describe('the graph of an investigation over the API', () => {
  let api: ApiOverRows;
  before(async () => {
    api = await startApiOverRows();
  });
  after(() => api?.stop());

  it('is worked out from the stored results while the investigation runs, whatever else is stored', async () => {
    const edges = [
      { caller: 'web', callee: 'checkout' },
      { caller: 'checkout', callee: 'db' },
    ];
    const causes = [{ rank: 1, service: 'db', score: 4, own_score: 4, reason: 'db is slow', signals: [] }];
    const results = [
      JSON.stringify({ source: 'p', service: 'web', direction: 'downstream', services: [], edges }),
      JSON.stringify({ source: 'p', alert: { service: 'web', at: '' }, causes }),
      'no JSON',
      '{}',
    ];
    const { id } = await storeInvestigation(api.database.orm, { teamId: api.teamId, results });
    const em = forTeam(api.database.orm.em, api.teamId);
    const names = ['service_dependencies', 'rank_root_causes', 'service_dependencies', 'search_logs'];
    for (const call of await em.find(ToolCall, { conversationId: id })) {
      call.name = names[call.evidence - 1]!;
      if (call.evidence === 4) call.input = { service: 'db' };
    }
    await em.flush();
    const { status, body } = await api.get(`/api/investigations/${id}/graph`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      [body.suspect, body.alerting, body.is_tentative, body.fault_path],
      ['db', 'web', true, ['web', 'checkout', 'db']],
    );
    assert.deepEqual(
      body.services[0].evidence.map(({ evidence }: { evidence: number }) => evidence),
      [2, 4],
    );
    assert.ok(body.notes.includes('Unreadable tool results: 1.'));
  });

  it('is empty before anything is known, and unknown for what is not there', async () => {
    const { id } = await storeInvestigation(api.database.orm, { teamId: api.teamId });
    const { body } = await api.get(`/api/investigations/${id}/graph`);
    assert.deepEqual([body.services, body.calls, body.fault_path, body.truncated], [[], [], [], false]);
    assert.equal((await api.get(`/api/investigations/${randomUUID()}/graph`)).status, 404);
  });
});
