import assert from 'node:assert/strict';
import { z } from 'zod';
import { startOfflineModel, type RunningServer } from '../../packages/offline-model/index.ts';
import { defineTool, errorOutput, sharedTools, type Tool, type ToolOutput } from '../../src/features/tools/index.ts';
import { createModelClient, type ModelClient } from '../../src/platform/anthropic/index.ts';
import { ALERT_AT, catalogOf, sampleIncident } from '../support/telemetry-source.ts';
import { openChat } from './support/run-chat.ts';
import { runInvestigation } from './support/run-investigation.ts';

const BAD = 'ba'.repeat(20);
const OLD = '0d'.repeat(20);
const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');

const HISTORY = [
  `shop/db at ${BAD}: 2 commits, newest first:`,
  `${BAD} ${iso(ALERT_AT - 300)} Noor Haddad: Shrink the pool`,
  'modified pool.ts',
  `${OLD} ${iso(ALERT_AT - 3_000)} Ada Park: Say who is on call`,
].join('\n');
const SUGGESTION = JSON.stringify({
  kind: 'suggested_pull_request',
  repository: 'shop/db',
  base: 'main',
  base_commit: BAD,
  title: 'Revert "Shrink the pool"',
  body: '',
  files: [{ path: 'pool.ts', change: 'modified', additions: 1, deletions: 1 }],
  diff: '-1\n+2\n',
  warnings: [],
});
const system = 'You investigate.\n\nPull requests\n- Pull requests can be suggested for: shop/db, shop/web.';

describe('offline model: pull requests', () => {
  let server: RunningServer;
  let model: ModelClient;
  before(async () => {
    server = await startOfflineModel();
    model = createModelClient({ offlineBaseUrl: server.url });
  });
  after(() => server.stop());

  const tool = (name: string, output: ToolOutput): Tool =>
    defineTool({
      name,
      description: name,
      input: z.looseObject({}),
      summarize: () => name,
      run: async () => output,
    });
  const tools = (suggestion: ToolOutput, history = HISTORY): Tool[] => [
    ...sharedTools,
    tool('code_history', { content: history, digest: 'commits' }),
    tool('suggest_pr', suggestion),
  ];
  const deployed = [{ id: 'd1', at: iso(ALERT_AT - 240), service: 'db', kind: 'deploy', summary: 'db 2.4.0' }];
  const investigate = (offered: readonly Tool[], said = system, changes: object[] = deployed) =>
    runInvestigation(model, {
      intercept: (name) =>
        name === 'recent_changes'
          ? { content: JSON.stringify({ source: 'memory', changes, truncated: false }), digest: 'changes' }
          : undefined,
      query: 'p95 of web is high',
      sources: catalogOf(sampleIncident()),
      tools: offered,
      system: said,
    });

  it('suggests the revert of the last commit to the service at fault, recommends it, and says how little it knows', async () => {
    const run = await investigate(tools({ content: SUGGESTION, digest: 'suggested' }));
    const [suggested] = run.calls.filter((call) => call.tool === 'suggest_pr');
    const service = run.report?.root_cause.service;
    assert.equal(service, 'db');
    assert.deepEqual(
      { ...(suggested?.input as object), body: undefined },
      { repository: 'shop/db', title: 'Revert "Shrink the pool"', revert_commit: BAD, body: undefined },
    );
    const history = run.calls.find((call) => call.tool === 'code_history')?.input as { since: string; until: string };
    assert.ok(Date.parse(history.until) <= ALERT_AT * 1_000 + 900_000 && history.since < history.until);
    const evidence = run.evidence.find((stored) => stored.tool === 'suggest_pr')?.evidence;
    assert.deepEqual(run.report?.recommended_pr, { suggestion: evidence });
    assert.match(run.report?.root_cause.statement ?? '', /Commit `bababababa` \(`Shrink the pool`\) by `Noor Haddad`/);
    assert.match(
      run.report?.recommended_change.summary ?? '',
      /^Revert `bababababa` \(`Shrink the pool`\) in `shop\/db`/,
    );
    assert.match(run.report?.recommended_change.details ?? '', /does not understand code/);
    assert.deepEqual(run.checked?.unverifiedClaims, []);
    assert.ok(run.checked?.timeline.some(({ event }) => event.startsWith('Commit `bababababa`')));
  });

  it('names the commit once where the code host lists it among the changes, and others by their short ids', async () => {
    const listed = [
      [BAD, ALERT_AT - 300, 'Shrink the pool'] as const,
      [OLD, ALERT_AT - 400, 'Say who is on call'] as const,
    ].map(([commit, at, summary]) => ({
      id: `shop/db:commit:${commit}`,
      at: iso(at),
      service: 'db',
      kind: 'commit',
      summary,
      commit,
    }));
    const { report } = await investigate(tools({ content: SUGGESTION, digest: 'suggested' }), system, listed);
    assert.equal(report?.root_cause.statement.match(/Commit /g)?.length, 1, report?.root_cause.statement);
    const commits = report.timeline.filter(({ event }) => event.startsWith('Commit '));
    assert.deepEqual(
      commits.map(({ event }) => event.slice(0, 19)),
      [`Commit \`${OLD.slice(0, 10)}\``, `Commit \`${BAD.slice(0, 10)}\``],
    );
    const others = report.hypotheses.map(({ statement }) => statement);
    assert.ok(others.includes(`Commit \`${OLD.slice(0, 10)}\` of \`db\` caused the incident.`), others.join('\n'));
  });

  it('says why a revert could not be suggested, and recommends none', async () => {
    const refused = errorOutput('The change does not apply. Correct it and call the tool again.');
    const { report, calls } = await investigate(tools(refused));
    assert.equal(report?.recommended_pr, undefined);
    assert.match(report?.recommended_change.details ?? '', /could not be suggested: `The change does not apply/);
    assert.equal(calls.filter((call) => call.tool === 'suggest_pr').length, 1);
  });

  it('suggests no revert where a setting of the service changed last', async () => {
    const setting = [{ ...deployed[0], kind: 'config', summary: 'max_connections 200 -> 100' }];
    const { report, calls } = await investigate(tools({ content: SUGGESTION, digest: 'suggested' }), system, setting);
    assert.ok(!calls.some((call) => call.tool === 'suggest_pr'));
    assert.match(report?.recommended_change.summary ?? '', /^Revert the config/);
  });

  it('looks at no repository that is not called as the service, and suggests nothing without commits', async () => {
    const suggestion = { content: SUGGESTION, digest: 'suggested' };
    const elsewhere = await investigate(tools(suggestion), '- Pull requests can be suggested for: shop/other.');
    assert.ok(!elsewhere.calls.some((call) => /code_history|suggest_pr/.test(call.tool)));
    const quiet = await investigate(tools(suggestion, `shop/db at ${BAD}: 0 commits, newest first:`));
    assert.ok(quiet.calls.some((call) => call.tool === 'code_history'));
    assert.ok(!quiet.calls.some((call) => call.tool === 'suggest_pr'));
    assert.equal(quiet.report?.recommended_pr, undefined);
  });

  describe('in a chat', () => {
    const chat = (suggestion: ToolOutput, said = system) =>
      openChat(model, { sources: catalogOf(sampleIncident()), tools: tools(suggestion), system: said });

    it('checks the revert that is asked for', async () => {
      const { text, calls } = await chat({ content: SUGGESTION, digest: 'suggested' }).ask(
        `Please open a pull request in shop/db that reverts ${BAD}`,
      );
      assert.deepEqual(
        calls.map((made) => [made.tool, made.input]),
        [['suggest_pr', { repository: 'shop/db', title: 'Revert bababababa', revert_commit: BAD }]],
      );
      assert.match(text, /The revert of `bababababa` in shop\/db applies to main, and changes `pool\.ts` \[1\]/);
      assert.match(text, /Nothing is opened yet/);
    });

    it('asks for the repository or the commit, and says why it cannot be reverted', async () => {
      const refused = errorOutput('The change does not apply.', {
        problems: [{ path: 'pool.ts', problem: 'Changed.' }],
      });
      const unknown = await chat(refused).ask(`Revert ${BAD}`);
      assert.match(unknown.text, /In which repository\? There are shop\/db and shop\/web/);
      assert.match((await chat(refused).ask('Open a pull request')).text, /Which commit/);
      const { text } = await chat(refused).ask(`Open a pull request in shop/db that reverts ${BAD}`);
      assert.match(text, /It cannot be reverted: `The change does not apply\.` \[1\]/);
      assert.match(text, /`pool\.ts: Changed\.`/);
    });
  });
});
