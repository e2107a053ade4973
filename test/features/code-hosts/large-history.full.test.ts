/** A repository with 1 GB of history and 50,000 files: real Git on both sides, over HTTP. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mirrorAt } from '../../../src/features/code-hosts/mirrors/bare.ts';
import { log } from '../../../src/features/code-hosts/mirrors/log.ts';
import { GIT_TIMEOUT_MS } from '../../../src/platform/git/index.ts';
import { createOutbound } from '../../../src/platform/outbound/index.ts';
import { startGitHttp, type GitHttp, type HostedRepository } from '../../support/git-http.ts';

const MIB = 2 ** 20;
const VERSIONS = 1_000;
const FILES = 50_000;
const never = new AbortController().signal;

/** Commits `VERSIONS` versions of a file that does not compress, and then `FILES` small files. */
async function fill({ path }: HostedRepository): Promise<void> {
  const importer = spawn('git', [`--git-dir=${path}`, '-c', 'core.compression=0', 'fast-import', '--quiet'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(importer, 'close');
  const write = async (data: string | Buffer): Promise<void> => {
    if (!importer.stdin.write(data)) await once(importer.stdin, 'drain');
  };
  const commit = (at: number, message: string): string =>
    `commit refs/heads/main\ncommitter Ada <ada@example.org> ${1_700_000_000 + at} +0000\ndata ${message.length}\n${message}\n`;
  for (let version = 0; version < VERSIONS; version++) {
    await write(`${commit(version, `Release ${version}`)}M 100644 inline data.bin\ndata ${MIB}\n`);
    await write(randomBytes(MIB));
  }
  await write(commit(VERSIONS, 'Add the files'));
  for (let file = 0; file < FILES; file++) {
    const text = `export const answer${file} = ${file};\n`;
    await write(`M 100644 inline src/${file % 500}/module-${file}.ts\ndata ${text.length}\n${text}`);
  }
  importer.stdin.end();
  assert.equal((await ended)[0], 0);
}

describe('code hosts: a mirror of a large repository', () => {
  let host: GitHttp;
  let directory: string;
  before(async () => {
    host = await startGitHttp();
    directory = mkdtempSync(join(tmpdir(), 'casebook-large-'));
  });
  after(async () => {
    await host.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has all of 1 GB of history and 50,000 files, and follows a push without fetching them again', async () => {
    const there = host.create('acme/monolith');
    await fill(there);
    const { network } = createOutbound({ allow: ['127.0.0.1'] });
    const remote = { url: there.cloneUrl, credential: { username: 'casebook', password: 'x' }, network };
    const bare = mirrorAt({ directory, gitTimeoutMs: GIT_TIMEOUT_MS }, randomUUID(), randomUUID());
    await bare.fetch(remote);
    const size = await bare.size();
    assert.ok(size > VERSIONS * MIB, `${size} bytes`);
    const head = await bare.head('main');
    const { stdout } = await bare.git(['ls-tree', '-r', '--name-only', head]);
    assert.equal(stdout.toString().split('\n').length - 1, FILES + 1);

    const query = { range: [head], paths: ['data.bin'], limit: 2, timeoutMs: 60_000, signal: never };
    const { commits, truncated } = await log(bare, query);
    assert.deepEqual(
      commits.map(({ subject }) => subject),
      [`Release ${VERSIONS - 1}`, `Release ${VERSIONS - 2}`],
    );
    assert.equal(truncated, true);

    const next = there.commit({ 'src/0/module-0.ts': 'export const answer0 = 42;\n' });
    await bare.fetch(remote);
    assert.equal(await bare.head('main'), next);
    assert.ok((await bare.size()) - size < MIB);
    await bare.collect(Date.now());
    assert.equal(await bare.isCurrent(remote), true);
  });
});
