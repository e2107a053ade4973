import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breaking, HANDLER, healthy } from '../../demo/code-host/history.ts';
import { Deployed } from '../../demo/shop/deployed.ts';
import { Fault } from '../../demo/shop/faults.ts';
import { ConnectionPool, PoolExhaustedError } from '../../demo/shop/pool.ts';

describe('the code of the demo’s repository', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casebook-deployed-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const written = async (version: string, content: string | undefined) => {
    const file = join(folder, `${version}.mjs`);
    await writeFile(file, content ?? assert.fail('the commit has no such file'));
    return { file, version };
  };

  it('gives its connections back, until the commit that breaks it, and again after the next deployment', async () => {
    const pool = new ConnectionPool(3, new Fault());
    const deployed = new Deployed();
    const good = await written('good', healthy[0]?.files[HANDLER]);
    await deployed.deploy(good);
    for (let charge = 0; charge < 10; charge++) await deployed.query(pool, 1);
    assert.equal(pool.inUse, 0);

    await deployed.deploy(await written('bad', breaking.files[HANDLER]));
    await assert.rejects(async () => {
      for (let charge = 0; charge < 20; charge++) await deployed.query(pool, 1);
    }, PoolExhaustedError);
    assert.equal(pool.inUse, 3);

    await deployed.deploy(good);
    pool.recover();
    await deployed.query(pool, 1);
    assert.equal(pool.inUse, 0);
  });

  it('is refused when it serves nothing', async () => {
    const deployed = new Deployed();
    await assert.rejects(deployed.deploy(await written('empty', 'export const nothing = 1;')));
  });
});
