import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ConfigError } from '../../src/config.ts';
import { createSecretBox, loadSecretKey, SecretError } from '../../src/platform/secrets.ts';

describe('sealed secrets', () => {
  const key = randomBytes(32);
  const box = createSecretBox([key]);

  it('open to what was sealed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plaintext, context) => {
        fc.pre(plaintext.isWellFormed());
        const sealed = box.seal(plaintext, context);
        assert.match(sealed, /^v1\.[0-9a-f]{8}\.[\w-]+$/);
        assert.equal(box.open(sealed, context), plaintext);
      }),
    );
  });

  it('differ each time and do not hold the secret', () => {
    const sealed = [box.seal('hunter2', 'team'), box.seal('hunter2', 'team')];
    assert.notEqual(sealed[0], sealed[1]);
    assert.ok(!Buffer.from(sealed[0]!.split('.')[2]!, 'base64url').includes('hunter2'));
  });

  it('do not open for another team, with another key, or altered anywhere @never-forgiven', () => {
    const sealed = box.seal('hunter2', 'team a');
    assert.throws(() => box.open(sealed, 'team b'), SecretError);
    assert.throws(() => createSecretBox([randomBytes(32)]).open(sealed, 'team a'), SecretError);
    const [version, id, data] = sealed.split('.');
    const bytes = Buffer.from(data!, 'base64url');
    for (let i = 0; i < bytes.length; i++) {
      const altered = Buffer.from(bytes);
      altered[i]! ^= 1;
      assert.throws(
        () => box.open(`${version}.${id}.${altered.toString('base64url')}`, 'team a'),
        SecretError,
        `byte ${i}`,
      );
      const cut = `${version}.${id}.${bytes.subarray(0, i).toString('base64url')}`;
      assert.throws(() => box.open(cut, 'team a'), SecretError, `cut at ${i}`);
    }
    for (const text of ['', 'v1', 'v2.a.b', 'v1.a.b.c', 'hunter2'])
      assert.throws(() => box.open(text, 'team a'), SecretError);
  });

  it('stay readable while the key is replaced', () => {
    const next = randomBytes(32);
    const both = createSecretBox([next, key]);
    assert.equal(both.open(box.seal('hunter2', 'team'), 'team'), 'hunter2');
    assert.equal(createSecretBox([next]).open(both.seal('hunter2', 'team'), 'team'), 'hunter2');
  });

  it('share a key from which others derive, none revealing another', () => {
    assert.deepEqual(box.derive('api-keys'), createSecretBox([key]).derive('api-keys'));
    assert.notDeepEqual(box.derive('api-keys'), box.derive('other'));
    assert.notDeepEqual(box.derive('api-keys'), key);
  });

  it('need keys of 32 bytes', () => {
    assert.throws(() => createSecretBox([randomBytes(16)]), SecretError);
  });
});

describe('the secret key', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'casebook-key-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  it('comes from the configuration when it is given', async () => {
    const secretKey = randomBytes(32).toString('hex');
    const key = await loadSecretKey({ secretKey, home, nodeEnv: 'production' });
    assert.equal(key.toString('hex'), secretKey);
    assert.deepEqual(await readdir(home), []);
  });

  it('is made once, for its owner only, however many processes start', async () => {
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => loadSecretKey({ home: join(home, 'new'), nodeEnv: 'development' })),
    );
    assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1);
    assert.deepEqual(await readdir(join(home, 'new')), ['secret-key']);
    assert.equal((await stat(join(home, 'new', 'secret-key'))).mode & 0o777, 0o600);
  });

  it('must be given in production, and a broken file is not replaced', async () => {
    await assert.rejects(loadSecretKey({ home, nodeEnv: 'production' }), ConfigError);
    await writeFile(join(home, 'secret-key'), 'not a key');
    await assert.rejects(loadSecretKey({ home, nodeEnv: 'development' }), ConfigError);
  });
});
