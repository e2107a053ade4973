import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { forTeam } from '../src/db/team-filter.ts';
import { Repository } from '../src/features/code-hosts/entities.ts';
import { createVault } from '../src/features/integrations/vault.ts';
import { codeSystems } from '../src/features/code-hosts/tools/index.ts';
import { createSecretBox } from '../src/platform/secrets.ts';
import { addressOf } from '../test/support/address.ts';
import { startApiOverRows } from '../test/support/api-over-rows.ts';
import { stopTestServer } from '../test/support/database.ts';
import { createIntegration } from '../test/support/integration-rows.ts';
import { CREDENTIAL, startMirrorWorkflows, type MirrorWorkflows } from '../test/support/mirror-workflows.ts';
import { stopTemporal } from '../test/support/temporal.ts';
import { toolContext } from '../test/support/tool-context.ts';
import type { Benchmark, BenchOptions } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { median, quantile, significant } from './support/statistics.ts';

const PUSHES = 12;
const FILES = 50_000;
const FILES_A_COMMIT = 5_000;
const SEARCHES = 7;
const SEARCH_RATIO = 1.5;
const SEARCHABLE_MS = 5_000;
const WEBHOOKS_A_SECOND = 50;
const WEBHOOK_SECONDS = 10;
const WEBHOOK_P99_MS = 50;

/**
 * Mirrors of repositories: from a push until it can be searched beside a plain fetch, a search of 50,000 files beside `git
 * grep` of the same tree, and webhooks at 50 a second beside a bare server that checks their signatures.
 */
export const mirrors: Benchmark = {
  name: 'mirrors',
  about: `${PUSHES} pushes, searches of ${FILES} files, and ${WEBHOOKS_A_SECOND} webhooks a second`,
  async run(options) {
    const given = await startMirrorWorkflows({ launch: { pauseMs: 250 } });
    try {
      return { results: [await pushes(given, options), await searches(given, options), await webhooks(options)] };
    } finally {
      await given.stop();
      await Promise.all([stopTestServer(), stopTemporal()]);
    }
  },
};

const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

const tree = (from: number, count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => {
      const index = from + n;
      const lines = Array.from(
        { length: 12 },
        (_, line) => `const value${line} = compute(${index}, ${line}); // ${index % 97}`,
      );
      return [`src/module${index % 200}/part${index % 13}/file${index}.ts`, `${lines.join('\n')}\n`];
    }),
  );

async function pushes(given: MirrorWorkflows, { say }: BenchOptions): Promise<BenchResult> {
  say(`${PUSHES} pushes`);
  const hosted = given.host.create('bench/pushed');
  const { id } = await given.connect(hosted, 'bench/pushed');
  hosted.commit(tree(0, 2_000));
  await given.want(id);
  await given.untilEnded(id);
  const plain = join(given.home, 'plain.git');
  const { username, password } = CREDENTIAL;
  const authorization = Buffer.from(`${username}:${password}`).toString('base64');
  const git = (...args: string[]): Buffer =>
    execFileSync('git', ['-c', `http.extraHeader=Authorization: Basic ${authorization}`, ...args], { stdio: 'pipe' });
  git('clone', '--quiet', '--mirror', hosted.cloneUrl, plain);
  const mirrored: number[] = [];
  const fetched: number[] = [];
  for (let n = 0; n < PUSHES; n++) {
    const commit = hosted.commit({ [`pushed/${n}.ts`]: `${n}\n` });
    mirrored.push(
      await timed(async () => {
        await given.want(id);
        while ((await given.row(id))?.head !== commit) await sleep(5);
      }),
    );
    await given.untilEnded(id);
    fetched.push(await timed(() => git(`--git-dir=${plain}`, 'fetch', '--quiet', '--prune')));
  }
  const took = median(mirrored);
  return compared(
    'a push until it can be searched',
    significant(took),
    'ms',
    'a plain git fetch',
    significant(median(fetched)),
    {
      target: `at most ${SEARCHABLE_MS / 1_000} s`,
      met: took <= SEARCHABLE_MS,
      note: `median of ${PUSHES}; of that 250 ms of waiting for further pushes`,
    },
  );
}

async function searches(given: MirrorWorkflows, { say }: BenchOptions): Promise<BenchResult> {
  say(`searches of ${FILES} files`);
  const hosted = given.host.create('bench/large');
  for (let from = 0; from < FILES; from += FILES_A_COMMIT) hosted.commit(tree(from, FILES_A_COMMIT));
  const made = await given.connect(hosted, 'bench/large');
  await given.want(made.id);
  await given.untilEnded(made.id);
  const row = (await given.row(made.id))!;
  const codeHosts = {
    find: async () => row,
    list: async () => [row],
    mirrorOf: given.mirrors.of,
    hostOf: () => Promise.reject(new Error('No host is asked.')),
  };
  const systems = await codeSystems({ orm: given.database.orm, codeHosts })(given.teamId);
  const search = systems.offers().find(({ what }) => what === 'search_code')!;
  const { gitDir } = given.mirrors.of(row);
  const called: number[] = [];
  const plain: number[] = [];
  const pattern = 'compute\\(4999[0-9], 7\\)';
  for (let n = -1; n < SEARCHES; n++) {
    const context = { ...toolContext(), teamId: given.teamId };
    const took = await timed(async () => {
      const output = await search.run({ pattern, regex: true }, context);
      if (!String(output.content).startsWith('10 lines')) throw new Error(String(output.content).slice(0, 300));
    });
    const alone = await timed(() =>
      execFileSync('git', [`--git-dir=${gitDir}`, 'grep', '-n', '-I', '-E', '-e', pattern, row.head!], {
        stdio: 'pipe',
      }),
    );
    if (n < 0) continue;
    called.push(took);
    plain.push(alone);
  }
  const result = compared('search_code', significant(median(called)), 'ms', 'git grep', significant(median(plain)), {
    target: `at most ${SEARCH_RATIO}x`,
    note: `${FILES} files, median of ${SEARCHES}`,
  });
  return { ...result, met: result.ratio <= SEARCH_RATIO };
}

async function webhooks({ say }: BenchOptions): Promise<BenchResult> {
  say(`${WEBHOOKS_A_SECOND} webhooks a second for ${WEBHOOK_SECONDS} s`);
  const key = Buffer.alloc(32, 3);
  const secret = 'the-secret-of-the-webhook';
  const api = await startApiOverRows({ CASEBOOK_SECRET_KEY: key.toString('hex') });
  const sign = (body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const bare = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const isTheirs = timingSafeEqual(
        Buffer.from(sign(body)),
        Buffer.from(String(request.headers['x-hub-signature-256'])),
      );
      JSON.parse(body);
      response.writeHead(isTheirs ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  try {
    const em = forTeam(api.database.orm.em, api.teamId);
    const vault = createVault(createSecretBox([key]));
    const ids = Array.from({ length: 20 }, (_, index) => String(1_000 + index));
    for (const [index, hostId] of ids.entries()) {
      const integration = createIntegration(em, vault, {
        teamId: api.teamId,
        family: 'gitea',
        name: `code ${index}`,
        settings: { url: 'https://code.example.org' },
        secrets: { token: 't', webhook_secret: secret },
      });
      const unknown = { head: null, wantedAt: null, syncedAt: null, error: null, sizeBytes: null };
      const later = new Date(Date.now() + 3_600_000);
      const urls = { cloneUrl: 'https://code.example.org/a.git', webUrl: 'https://code.example.org/a' };
      const known = {
        hostId,
        fullName: `bench/r${hostId}`,
        defaultBranch: 'main',
        ...urls,
        isPrivate: true,
        isArchived: false,
      };
      const due = { webhookId: '1', webhookDueAt: later, dueAt: later };
      em.create(Repository, { teamId: api.teamId, integrationId: integration.id, ...known, ...unknown, ...due });
    }
    await em.flush();
    const post = async (url: string, n: number): Promise<number> => {
      const hostId = ids[n % ids.length]!;
      const body = JSON.stringify({
        ref: 'refs/heads/main',
        before: 'a'.repeat(40),
        after: 'b'.repeat(40),
        repository: { id: Number(hostId), full_name: `bench/r${hostId}` },
        commits: Array.from({ length: 10 }, (_, index) => ({
          id: randomUUID(),
          message: `Change ${index}`,
          added: ['a'],
          removed: [],
        })),
      });
      const headers = {
        'content-type': 'application/json',
        'x-github-event': 'push',
        'x-gitea-event': 'push',
        'x-gitea-delivery': randomUUID(),
        'x-hub-signature-256': sign(body),
      };
      const sent = performance.now();
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`A webhook was answered with ${response.status}.`);
      return performance.now() - sent;
    };
    /** At a fixed rate, whether or not earlier ones are answered. */
    const atRate = async (url: string, count: number): Promise<number[]> => {
      const began = performance.now();
      const answers: Promise<number>[] = [];
      for (let n = 0; n < count; n++) {
        await sleep(Math.max(0, began + (n * 1_000) / WEBHOOKS_A_SECOND - performance.now()));
        answers.push(post(url, n));
      }
      return Promise.all(answers);
    };
    const count = WEBHOOKS_A_SECOND * WEBHOOK_SECONDS;
    const url = `${api.url}/api/workspace/webhook/codehost-a`;
    await atRate(url, WEBHOOKS_A_SECOND);
    const took = await atRate(url, count);
    const alone = await atRate(`http://127.0.0.1:${addressOf(bare).port}/`, count);
    const p99 = quantile(took, 0.99);
    return compared(
      'a webhook, p99',
      significant(p99),
      'ms',
      'a bare server that checks the signature',
      significant(quantile(alone, 0.99)),
      {
        target: `at most ${WEBHOOK_P99_MS} ms`,
        met: p99 <= WEBHOOK_P99_MS,
        note: `${WEBHOOKS_A_SECOND} a second, median ${significant(median(took))} ms; sender and server in one process`,
      },
    );
  } finally {
    bare.close();
    bare.closeAllConnections();
    await api.stop();
  }
}
