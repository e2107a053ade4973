import assert from 'node:assert/strict';
import { submitReport, type Report } from '../../../src/features/investigations/report/index.ts';
import { createToolRegistry } from '../../../src/features/tools/index.ts';
import type { StoredEvidence } from '../../../src/features/tools/tool.ts';
import { sampleReport } from '../../support/report.ts';
import { storedEvidence, toolContext } from '../../support/tool-context.ts';

const logs = storedEvidence(
  1,
  'search_logs',
  '{"lines":[{"message":"pool exhausted: 118 clients waiting","by":"\\"db\\""}]}',
);
const plan = storedEvidence(2, 'update_plan', '{"items":1,"done":0}');
const changes = storedEvidence(3, 'recent_changes', '{"changes":["max_connections 200 -> 100"]}');
const registry = createToolRegistry([submitReport]);

const submit = (report: object, evidence: StoredEvidence[] = [logs, plan, changes]) =>
  registry.invoke('submit_report', report, toolContext({ evidence }));

async function problems(
  report: object,
  evidence?: StoredEvidence[],
): Promise<{ n?: number; problem: string; exact?: string }[]> {
  const output = await submit(report, evidence);
  assert.equal(output.isError, true, String(output.content));
  assert.equal(output.effect, undefined);
  const {
    error,
    problems: found,
  }: {
    error: string;
    problems: { problem: string }[];
  } = JSON.parse(String(output.content));
  assert.match(error, /not accepted.*"accept_unverified": true/u);
  return found;
}
const citing = (...citations: Report['citations']) => sampleReport({ citations });

describe('submit_report', () => {
  it('takes a report whose citations hold and ends the run with it', async () => {
    const { effect, isError, digest } = await submit(sampleReport());
    assert.equal(isError, undefined);
    assert.deepEqual(effect, { kind: 'finish', result: sampleReport() });
    assert.equal(digest, 'Report (confidence 80 %): Pool of db exhausted, web slow');
  });

  it('refuses excerpts that are not in the evidence, and says what is', async () => {
    const [space, invented, short, end] = await problems(
      citing(
        { n: 1, evidence: 1, excerpts: ['{"message": "pool exhausted: 118 clients waiting"', 'pool exhausted'] },
        { n: 2, evidence: 1, excerpts: ['the disk was full', '118'] },
      ),
    );
    assert.equal(space?.exact, '{"message":"pool exhausted: 118 clients waiting"');
    assert.match(invented?.problem ?? '', /Not in evidence 1; copy a piece of it exactly/u);
    assert.match(short?.problem ?? '', /Too short/u);
    assert.equal(end, undefined);
  });

  it('points to the other evidence that has the excerpt, and to what JSON made of it', async () => {
    const [elsewhere, escaped] = await problems(
      citing(
        { n: 1, evidence: 1, excerpts: ['pool exhausted', 'max_connections 200 -> 100', '"db"'] },
        { n: 2, evidence: 3, excerpts: ['200 -> 100'] },
      ),
    );
    assert.match(elsewhere?.problem ?? '', /but in evidence 3; cite that/u);
    assert.equal(escaped?.exact, '\\"db\\"');
  });

  it('refuses evidence that does not exist, or comes from the model itself', async () => {
    const found = await problems(
      citing({ n: 1, evidence: 42, excerpts: ['pool exhausted'] }, { n: 2, evidence: 2, excerpts: ['"items":1'] }),
    );
    assert.deepEqual(found, [
      { n: 1, problem: 'Evidence 42 does not exist.' },
      { n: 2, problem: 'Evidence 2 is a result of update_plan, which proves nothing.' },
    ]);
  });

  it('refuses citations listed twice or not at all, and a root cause that cites nothing', async () => {
    const twice = { n: 1, evidence: 1, excerpts: ['pool exhausted'] };
    assert.match((await problems(citing(twice, twice)))[0]?.problem ?? '', /\[1\] is listed more than once/u);
    assert.match(
      (await problems(sampleReport({ impact: 'All [7].' })))[0]?.problem ?? '',
      /impact cites \[7\], which is not listed/u,
    );
    const uncited = sampleReport({ root_cause: { service: 'db', statement: 'It was db.' } });
    assert.match((await problems(uncited))[0]?.problem ?? '', /root_cause.statement cites nothing/u);
  });

  it('takes an uncited root cause when there is no evidence at all', async () => {
    const report = sampleReport({
      root_cause: { service: null, statement: 'Not known.' },
      summary: 'Nothing could be read.',
      timeline: [],
      impact: 'Not known.',
      citations: [],
    });
    assert.equal((await submit(report, [])).effect?.kind, 'finish');
    assert.equal((await submit(report, [plan])).effect?.kind, 'finish');
    assert.match((await problems(report, [plan, logs]))[0]?.problem ?? '', /cites nothing/u);
  });

  it('takes anything well-formed once the model insists, without the flag in the result', async () => {
    const report = citing({ n: 1, evidence: 42, excerpts: ['pool exhausted'] });
    const { effect, isError } = await submit({ ...report, accept_unverified: true });
    assert.equal(isError, undefined);
    assert.deepEqual(effect, { kind: 'finish', result: report });
  });

  it('refuses what is no report, listing every issue', async () => {
    const output = await submit({ ...sampleReport(), confidence: 7, title: ' ', verdict: 'x' });
    assert.equal(output.isError, true);
    const { issues }: { issues: { path: string }[] } = JSON.parse(String(output.content));
    assert.deepEqual(issues.map(({ path }) => path).toSorted(), ['', 'confidence', 'title']);
  });
});
