import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findPrometheus } from '../../demo/servers/find.ts';
import { goPlatform } from '../../demo/servers/release.ts';
import { silentLog } from '../../src/embedded/log.ts';
import { addressOf } from '../support/address.ts';

const name = `prometheus-3.5.0.${goPlatform()}`;

describe('finding Prometheus', () => {
  let folder: string;
  let server: Server;
  let files: Record<string, Buffer | string>;
  const find = (more: Partial<Parameters<typeof findPrometheus>[0]> = {}) =>
    findPrometheus({
      log: silentLog,
      home: join(folder, 'home'),
      cache: join(folder, 'cache'),
      command: '',
      release: `http://127.0.0.1:${addressOf(server).port}`,
      ...more,
    });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casebook-find-'));
    // A release as the project publishes it, of a program that says what Prometheus says.
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'prometheus'), '#!/bin/sh\necho "prometheus, version 3.5.0 (branch: HEAD)"\n');
    chmodSync(join(folder, name, 'prometheus'), 0o755);
    execFileSync('tar', ['-czf', join(folder, 'release.tar.gz'), '-C', folder, name]);
    const archive = readFileSync(join(folder, 'release.tar.gz'));
    const sum = createHash('sha256').update(archive).digest('hex');
    files = { [`${name}.tar.gz`]: archive, 'sha256sums.txt': `${'0'.repeat(64)}  other\n${sum}  ${name}.tar.gz\n` };
    server = createServer((request, response) => {
      const file = files[basename(request.url ?? '')];
      if (file === undefined) response.writeHead(404);
      response.end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes what is on PATH, if it is Prometheus', async () => {
    const program = join(folder, name, 'prometheus');
    assert.equal(await find({ command: program }), program);
    assert.notEqual(await find({ command: 'true' }), 'true');
  });

  it('downloads the release once, checks its sum, and keeps it', async () => {
    const found = await find();
    assert.equal(found, join(folder, 'cache', 'prometheus'));
    assert.ok(existsSync(found));
    files = {};
    assert.equal(await find(), found);
    assert.deepEqual(readdirSync(join(folder, 'cache')), ['prometheus']);
  });

  it('does not run what is not what the release says, and names all that was tried', async () => {
    files['sha256sums.txt'] = `${'0'.repeat(64)}  ${name}.tar.gz\n`;
    const noPackages = join(folder, 'no-packages');
    mkdirSync(noPackages);
    const path = process.env['PATH'];
    process.env['PATH'] = noPackages;
    try {
      await assert.rejects(
        find(),
        /Prometheus was not found and could not be downloaded \(download: .*SHA-256 differs; Debian's package: .*apt-get/,
      );
    } finally {
      process.env['PATH'] = path;
    }
    assert.deepEqual(readdirSync(join(folder, 'cache')), []);
  });
});
