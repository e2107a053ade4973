import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../demo/casebook-api.ts';
import { handlerAt, newestCommit } from '../../demo/code-host/repository.ts';
import { BRANCH, HANDLER, healthy } from '../../demo/code-host/history.ts';
import { FULL_NAME } from '../../demo/live/code-host.ts';
import { questionAbout, startLiveShop, type LiveShop, type LiveShopStart } from '../../demo/live/index.ts';
import { commitIncident } from '../../demo/shop/incidents.ts';
import { openRecommended } from '../../demo/terminal/pull-request.ts';
import { silentLog } from '../../src/embedded/log.ts';
import { startEverything, type Running } from '../../src/embedded/up.ts';
import { loadConfig } from '../../src/rooms.ts';
import { findGiteaBinary } from '../support/gitea.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Investigated {
  status: string;
  investigation_text: string | null;
  report: {
    root_cause: { service: string | null };
    recommended_pr: { repository: string; diff: string } | null;
  } | null;
}

/** `npm run demo -- --code-host --exit`, step by step. */
describe('the live demo shop with a code host', function () {
  this.timeout(900_000);
  const home = mkdtempSync(join(tmpdir(), 'casebook-code-host-'));
  const never = new AbortController().signal;
  let starting: LiveShopStart;
  let running: Running;
  let shop: LiveShop;

  before(async () => {
    await findGiteaBinary();
    starting = startLiveShop({ home, log: silentLog, baselineSeconds: 30 });
    const config = loadConfig({ CASEBOOK_HOME: home, HOST: '127.0.0.1', PORT: '0' });
    running = await startEverything({
      config,
      log: silentLog,
      env: { CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' },
      ports: { postgres: 0, temporal: 0, temporalUi: 0 },
    });
    shop = await starting.connect(running, { adminDatabaseUrl: running.adminDatabaseUrl });
  });

  after(async () => {
    await starting?.stop();
    await running?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('names the commit that broke it, opens the revert as a pull request, and recovers once that is merged', async () => {
    const host = shop.codeHost ?? assert.fail('there is no code host');
    await shop.untilKnown(never);
    const query = questionAbout(await shop.cause(commitIncident, never));
    const commit = host.commit ?? assert.fail('nothing was committed');
    const { investigation_id: id } = (await callApi(running, 'POST', '/api/v1/investigate', {
      body: { query },
    })) as { investigation_id: string };
    const found = await waitUntil(
      async () => {
        const now = (await callApi(running, 'GET', `/api/investigations/${id}`)) as Investigated;
        return now.status === 'processing' ? undefined : now;
      },
      { what: 'the end of the investigation' },
    );
    assert.equal(found.report?.root_cause.service, 'payments', found.investigation_text ?? found.status);
    assert.ok(found.investigation_text?.includes(commit.slice(0, 7)), found.investigation_text ?? '');
    assert.equal(found.report.recommended_pr?.repository, FULL_NAME);
    assert.match(found.report.recommended_pr.diff, /^\+.*connection\.release\(\)/m);

    const number = await openRecommended(running, id, never);
    assert.equal(await openRecommended(running, id, never), number, 'asking again opens no other');
    await host.merge(number);
    const repaired = await handlerAt(host.address, await newestCommit(host.address));
    assert.equal(repaired, healthy[0]?.files[HANDLER], `${HANDLER} on ${BRANCH}`);
    await shop.untilCalm(never);
  });
});
