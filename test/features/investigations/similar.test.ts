import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { forTeam } from '../../../src/db/team-filter.ts';
import { findSimilar } from '../../../src/features/investigations/similar/find.ts';
import { judgeInvestigation } from '../../../src/features/investigations/similar/judge.ts';
import { fingerprint, likeness, traitsOf, type Traits } from '../../../src/features/investigations/similar/traits.ts';
import { findSimilarInvestigations } from '../../../src/features/investigations/tools/find-similar.ts';
import { createToolRegistry } from '../../../src/features/tools/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { storeInvestigation } from '../../support/investigation-rows.ts';
import { sampleReport } from '../../support/report.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const template = 'pool exhausted: <*> clients waiting';
const traits = (more: Partial<Traits> = {}): Traits => ({
  service: 'db',
  alert: fingerprint({ service: 'web', metric: 'latency' }),
  templates: [template],
  ...more,
});

describe('traits of an investigation', () => {
  it('are the service at fault, the alert, and the error patterns of that service', () => {
    const pattern = { count: 9, first: '2026-03-01T11:58:00Z', level: 'error' };
    const evidence = [
      storedEvidence(
        1,
        'rank_root_causes',
        JSON.stringify({
          alert: { service: 'web', metric: 'latency', at: '2026-03-01T12:00:00Z' },
          onset: null,
          considered: { services: 2 },
          causes: [{ rank: 1, service: 'db', own_score: 4, reason: 'It moved.', evidence: [], signals: [] }],
          confidence: 0.4,
        }),
      ),
      storedEvidence(
        2,
        'search_logs',
        JSON.stringify({
          patterns: [
            { ...pattern, pattern: template, services: ['db'] },
            { ...pattern, pattern: 'of another service', services: ['mail'] },
            { ...pattern, pattern: 'a warning', services: ['db'], level: 'warn' },
          ],
        }),
      ),
    ];
    assert.deepEqual(traitsOf(sampleReport(), evidence), traits());
    const unnamed = sampleReport({ root_cause: { service: null, statement: 'No cause is established.' } });
    assert.equal(traitsOf(unnamed, evidence).service, 'db', 'the first candidate');
    assert.deepEqual(traitsOf(unnamed, []), { service: null, alert: null, templates: [] });
  });

  it('are shared where they are known', () => {
    const nothing = { service: null, alert: null, templates: [] };
    assert.deepEqual(likeness(traits(), traits()), ['log template', 'service', 'alert']);
    assert.deepEqual(likeness(traits(), traits({ service: 'mail', templates: [] })), ['alert']);
    assert.deepEqual(likeness(nothing, nothing), []);
  });
});

describe('similar past investigations', () => {
  let database: TestDatabase;
  let teamId: string;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database?.drop());
  beforeEach(() => {
    teamId = randomUUID();
  });

  const store = async (row: object, team = teamId): Promise<string> => {
    const ended = { status: 'completed', alertSummary: 'db: pool full', report: sampleReport(), traits: traits() };
    return (await storeInvestigation(database.orm, { teamId: team, row: { ...ended, ...row } as never })).id;
  };
  const em = () => forTeam(database.orm.em, teamId);

  it("are the team's ended ones that share something, those that share most first", async () => {
    const alike = await store({});
    const sameService = await store({ traits: traits({ alert: null, templates: [] }) });
    await store({ traits: traits({ service: 'mail', alert: null, templates: [] }) });
    await store({ status: 'failed' });
    await store({}, randomUUID());
    const self = await store({});
    const found = await findSimilar(em(), traits(), { except: self, limit: 5 });
    assert.deepEqual(
      found.map(({ row, shares }) => [row.id, shares]),
      [
        [alike, ['log template', 'service', 'alert']],
        [sameService, ['service']],
      ],
    );
    assert.equal((await findSimilar(em(), traits(), { except: self, limit: 1 })).length, 1);
  });

  it('are told to a model, with what people judged', async () => {
    const id = await store({ judgement: 'wrong' });
    const registry = createToolRegistry([findSimilarInvestigations({ orm: database.orm })]);
    const context = { ...toolContext(), conversationId: randomUUID(), teamId, scopes: ['investigations:read'] };
    const { content } = await registry.invoke('find_similar_investigations', { service: 'db' }, context);
    const { investigations } = JSON.parse(String(content));
    const [{ created_at: createdAt, ...found }] = investigations;
    assert.ok(Date.parse(createdAt) <= Date.now());
    assert.deepEqual(found, {
      investigation_id: id,
      alert_summary: 'db: pool full',
      service: 'db',
      shares: ['service'],
      judgement: 'wrong',
    });
  });

  it('are judged by people, who may change or withdraw their word', async () => {
    const id = await store({});
    const judge = (judgement: 'right' | 'wrong' | null) =>
      judgeInvestigation(em(), systemClock, { teamId, scopes: [] }, id, judgement);
    const right = await judge('right');
    assert.deepEqual([right.judgement, right.judgedAt instanceof Date], ['right', true]);
    assert.equal((await judge('wrong')).judgement, 'wrong');
    const withdrawn = await judge(null);
    assert.deepEqual([withdrawn.judgement, withdrawn.judgedAt], [null, null]);
    const unreported = await store({ report: null });
    await assert.rejects(judgeInvestigation(em(), systemClock, { teamId, scopes: [] }, unreported, 'right'), {
      code: 'no_report',
    });
  });
});
