import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { composeRooms, openCore } from '../src/compose.ts';
import { forTeam } from '../src/db/team-filter.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Integration } from '../src/features/integrations/entities.ts';
import { checkDue } from '../src/features/integrations/health.ts';
import { CHECK_EVERY_MS } from '../src/features/integrations/service.ts';
import { createRegistryCache } from '../src/features/tools/index.ts';
import { loadConfig } from '../src/rooms.ts';
import { createLogger } from '../src/platform/logger.ts';
import { startApiOverRows } from '../test/support/api-over-rows.ts';
import { stopTestServer } from '../test/support/database.ts';
import { createIntegration } from '../test/support/integration-rows.ts';
import { toolContext } from '../test/support/tool-context.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { compared } from './result.ts';
import { median, significant } from './support/statistics.ts';

const ROUNDS = 200;
const WARM_UP = 20;
const CHECKED = 200;
const TARGET_MS = 15;
const FIRST_CALL_MS = 1_000;
const CORE_SHARE = 0.02;

/**
 * A database that a team has connected: a tool call beside the same statement by a plain client, the first tool call
 * of a process from the 200 of connecting on, beside the first statement of a plain client, and the checks of 200 integrations beside one
 * plain connection and statement each.
 */
export const integrations: Benchmark = {
  name: 'integrations',
  about: `${ROUNDS} SQL tool calls, the first one after connecting, and the checks of ${CHECKED} integrations`,
  run: benchIntegrations,
};

async function benchIntegrations({ say }: BenchOptions): Promise<BenchReport> {
  const env = { CASEBOOK_SECRET_KEY: randomBytes(32).toString('hex'), CASEBOOK_OUTBOUND_ALLOW: '127.0.0.1' };
  const api = await startApiOverRows(env);
  const { database, teamId } = api;
  const config = loadConfig({
    ...env,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    LOG_LEVEL: 'silent',
  });
  const core = await openCore(config, createLogger({ name: 'bench', level: 'silent' }));
  const house = composeRooms(core);
  const url = new URL(database.url);
  const settings = {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    username: decodeURIComponent(url.username),
    ssl_mode: 'disable',
  };
  const secrets = { password: decodeURIComponent(url.password) };
  const { vault, service } = house.integrations;
  const store = async (count: number): Promise<void> => {
    const em = forTeam(core.orm.em, teamId);
    for (let index = 0; index < count; index++)
      createIntegration(em, vault, { teamId, family: 'sql-db', name: `db-${index}`, settings, secrets });
    await em.flush();
  };
  const plain = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    return client;
  };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  };
  try {
    const registryOf = createRegistryCache();
    const call = async (): Promise<void> => {
      // As each activity of a run does it.
      const { tools } = await house.teamTools(teamId);
      const context = { ...toolContext(), teamId, toolCallId: randomUUID(), clock: systemClock };
      const output = await registryOf(tools).invoke('db_0_query', { sql: 'select 1' }, context);
      if (output.isError) throw new Error(String(output.content));
    };
    say('the first tool call');
    const connected = await api.request('POST', '/api/onboarding/sql-db/integrations', {
      name: 'db-0',
      ...settings,
      ...secrets,
    });
    if (connected.status !== 200) throw new Error(JSON.stringify(connected.body));
    // From the 200 on, in a worker that has never heard of it.
    const firstMs = await timed(call);
    let client: pg.Client | undefined;
    const firstPlainMs = await timed(async () => {
      client = await plain();
      await client.query('select 1');
    });
    say(`${ROUNDS} tool calls`);
    const called: number[] = [];
    const direct: number[] = [];
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const took = [await timed(call), await timed(() => client!.query('select 1'))] as const;
      if (round < 0) continue;
      called.push(took[0]);
      direct.push(took[1]);
    }
    await client?.end();
    const overhead = median(called) - median(direct);

    say(`the checks of ${CHECKED} integrations`);
    await forTeam(core.orm.em, teamId).nativeDelete(Integration, {});
    await store(CHECKED);
    const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    const checkedMs = await cpuOf(async () => {
      for (let checked = 0; checked < CHECKED;) {
        const some = await checkDue(service, new AbortController().signal);
        if (some === 0) throw new Error(`only ${checked} were due`);
        checked += some;
      }
    });
    const plainMs = await cpuOf(async () => {
      for (let each = 0; each < CHECKED; each++) {
        const one = await plain();
        await one.query('select 1');
        await one.end();
      }
    });
    const share = checkedMs / CHECK_EVERY_MS;
    return {
      results: [
        compared(
          'a SQL tool call',
          significant(median(called)),
          'ms',
          'the statement by a plain client',
          significant(median(direct)),
          {
            target: `at most ${TARGET_MS} ms more`,
            met: overhead <= TARGET_MS,
            note: `${significant(overhead)} ms more, median of ${ROUNDS}`,
          },
        ),
        compared(
          'the first tool call, from the 200 of connecting on',
          significant(firstMs),
          'ms',
          'connecting a plain client, and a statement',
          significant(firstPlainMs),
          {
            target: `at most ${FIRST_CALL_MS} ms`,
            met: firstMs <= FIRST_CALL_MS,
          },
        ),
        compared(
          `checking ${CHECKED} integrations`,
          significant(checkedMs),
          'ms of CPU',
          'a plain connection and statement each',
          significant(plainMs),
          {
            target: `below ${CORE_SHARE * 100} % of a core, once in five minutes`,
            met: share < CORE_SHARE,
            note: `${significant(share * 100)} % of a core`,
          },
        ),
      ],
    };
  } finally {
    await core.closing.disposeAsync();
    await api.stop();
    await stopTestServer();
  }
}
