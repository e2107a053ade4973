import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { clickhouse, elasticsearch, opensearch, postgresql } from '@casebook/connectors';
import { connectorOf } from './support.ts';

/** Nobody listens there. */
const NOWHERE = '127.0.0.1:1';

describe('satellite connectors of stores: a certificate that is not there', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'satellite-ca-'));
    file = join(folder, 'ca.pem');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const secure = {
    url: `https://${NOWHERE}`,
    get ca_file() {
      return file;
    },
  };
  for (const [name, make] of [
    ['elasticsearch', () => connectorOf(elasticsearch, { ...secure })],
    ['opensearch', () => connectorOf(opensearch, { ...secure })],
    ['clickhouse', () => connectorOf(clickhouse, { ...secure })],
    ['postgresql', () => connectorOf(postgresql, { url: `postgres://a@${NOWHERE}/a?sslrootcert=${file}` })],
  ] as const)
    it(`${name} says so, closes all the same, and reads it when it has appeared`, async () => {
      const check = async (connector: ReturnType<typeof make>): Promise<void> => {
        const given = new AbortController();
        await connector.check(given.signal).finally(() => given.abort());
      };
      // Whoever asked may go at any time: what still listens then must not fail where nobody waits.
      const unhandled: unknown[] = [];
      const note = (reason: unknown): void => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      const closed = make();
      await assert.rejects(check(closed), /ENOENT/);
      await closed.close();
      const connector = make();
      await assert.rejects(check(connector), /ENOENT/);
      await writeFile(file, rootCertificates[0]!);
      await assert.rejects(check(connector), /ECONNREFUSED/);
      await connector.close();
      await setImmediate();
      process.off('unhandledRejection', note);
      assert.deepEqual(unhandled, []);
    });
});
