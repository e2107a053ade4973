/** An installation to which nobody has connected anything. */
import assert from 'node:assert/strict';
import { ConfigError } from '../../../src/config.ts';
import { describeSources } from '../../../src/embedded/source-list.ts';
import { loadConfig } from '../../../src/rooms.ts';
import { DEMO_INCIDENTS } from '../../../demo/arguments.ts';
import { startApiOverRows } from '../../support/api-over-rows.ts';

describe('without a source', () => {
  it('nothing is a source that nobody has configured', () => {
    assert.equal(loadConfig({}).sources.incidentsDir, undefined);
    assert.equal(loadConfig({ CASEBOOK_INCIDENTS_DIR: '' }).sources.incidentsDir, undefined);
    assert.equal(loadConfig({ CASEBOOK_INCIDENTS_DIR: 'demo/incidents' }).sources.incidentsDir, DEMO_INCIDENTS);
  });

  it('a folder of incidents that is not there ends the process at once', () => {
    for (const path of ['/nowhere/incidents', 'package.json'])
      assert.throws(
        () => loadConfig({ CASEBOOK_INCIDENTS_DIR: path }),
        (error) => error instanceof ConfigError && /CASEBOOK_INCIDENTS_DIR: there is no folder \//.test(error.message),
      );
  });

  it('npm start says how to connect one; with sources, which there are', async () => {
    const described = async (env: Record<string, string>): Promise<string | undefined> => {
      const { url: apiUrl, apiKey, stop } = await startApiOverRows(env);
      try {
        assert.equal(await describeSources({ apiUrl, appUrl: 'https://casebook.example', apiKey: 'wrong' }), undefined);
        return await describeSources({ apiUrl, appUrl: 'https://casebook.example', apiKey });
      } finally {
        await stop();
      }
    };
    assert.match(
      (await described({})) ?? '',
      /^none: connect a database or a vendor at https:\/\/casebook\.example\/integrations; or set PROMETHEUS_URL .* satellite at https:\/\/casebook\.example\/satellites$/,
    );
    assert.match(
      (await described({ CASEBOOK_INCIDENTS_DIR: DEMO_INCIDENTS })) ?? '',
      /^incident:checkout-degrading, incident:checkout-errors, .* and 2 more$/,
    );
    assert.equal(await described({ LOKI_URL: 'http://127.0.0.1:9' }), 'loki (not answering)');
  });
});
