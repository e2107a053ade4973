import assert from 'node:assert/strict';
import { integrationsConfig, Integrations } from '../../../satellite/integrations/index.ts';
import { createNetwork } from '../../../satellite/integrations/network.ts';
import { createLog } from '../../../satellite/log.ts';

const target = (
  config: Record<string, unknown>,
  connector: 'postgresql' | 'clickhouse' | 'kubernetes' = 'postgresql',
) => ({
  kind: 'integration' as const,
  integration: 'orders',
  connector,
  config,
  operation: 'query',
  parameters: {},
});
const settings = { host: 'db.internal', database: 'd', user: 'u', password: 'p' };
const integrations = (config: unknown = {}) => new Integrations(integrationsConfig.parse(config), createLog('silent'));

describe('integrations behind a satellite', () => {
  it('are opened once for each configuration', async () => {
    const all = integrations();
    assert.equal(all.connector(target(settings)), all.connector(target({ ...settings })));
    assert.notEqual(all.connector(target(settings)), all.connector(target({ ...settings, password: 'other' })));
    await all.close();
  });

  it('are of the kinds that the configuration allows, and of none where it is off', () => {
    assert.deepEqual(integrations().kinds, ['postgresql', 'clickhouse']);
    assert.deepEqual(integrations({ enabled: false }).kinds, []);
    assert.throws(() => integrations({ kinds: ['clickhouse'] }).connector(target(settings)), /does not let Casebook/);
    assert.throws(() => integrations().connector(target({}, 'kubernetes')), /does not let Casebook/);
  });

  it('read no file of this machine, and repeat no secret', () => {
    const all = integrations();
    const clickhouse = { url: 'https://ch.internal:8443', ca_file: '/etc/passwd' };
    assert.throws(() => all.connector(target(clickhouse, 'clickhouse')), /ca_file names a file/);
    assert.throws(
      () => all.connector(target({ ...settings, port: 'hunter2-the-secret' })),
      (error: Error) => {
        assert.match(error.message, /^port: /);
        assert.ok(!error.message.includes('hunter2'));
        return true;
      },
    );
  });

  it('do not connect to link-local addresses, however they are written', () => {
    const { hostProblem, urlProblem } = createNetwork({});
    for (const host of ['169.254.169.254', 'fe80::1', '::ffff:169.254.169.254', 'fd00:ec2::254'])
      assert.match(hostProblem(host) ?? '', /link-local/, host);
    assert.match(urlProblem('http://[::ffff:169.254.169.254]/') ?? '', /link-local/);
    assert.match(urlProblem('http://2852039166/') ?? '', /link-local/);
    for (const host of ['10.1.2.3', '127.0.0.1', 'db.internal', '::1'])
      assert.equal(hostProblem(host), undefined, host);
    assert.notEqual(hostProblem('a,b'), undefined);
    assert.notEqual(hostProblem('/var/run/postgresql'), undefined);
  });

  it('go only where the configuration says, by name, address or network, and by what a name leads to', async () => {
    const { hostProblem, lookup } = createNetwork({ allow: ['10.0.0.0/8', 'db.internal', '::1'] });
    for (const host of ['10.1.2.3', 'db.internal', '::1']) assert.equal(hostProblem(host), undefined, host);
    assert.match(hostProblem('192.168.0.1') ?? '', /integrations\.allow/);
    const found = await new Promise<Error | null>((resolve) =>
      lookup('localhost', { all: true, family: 4 }, (error) => resolve(error)),
    );
    assert.match(found?.message ?? '', /localhost is not among the hosts/);
    const { lookup: open } = createNetwork({ allow: ['127.0.0.0/8'] });
    assert.equal(
      await new Promise<Error | null>((resolve) =>
        open('localhost', { all: true, family: 4 }, (error) => resolve(error)),
      ),
      null,
    );
  });

  it('refuse places that are none', () => {
    for (const place of ['10.0.0.0/33', '10.0.0.0/8/8', 'a b', '', 'db/8'])
      assert.equal(integrationsConfig.safeParse({ allow: [place] }).success, false, place);
  });
});
