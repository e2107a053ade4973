import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { openMcp, type OpenMcp } from '@casebook/mcp';
import type { Target } from '../src/features/integrations/connections.ts';
import { programOf, settingsOfProgram } from '../src/features/integrations/tool-servers/index.ts';
import { createLogger } from '../src/platform/logger.ts';
import { loadConfig } from '../src/rooms.ts';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { compared, type BenchResult } from './result.ts';
import { descendantsOf, residentBytes } from './support/process-cost.ts';
import { median, significant } from './support/statistics.ts';

const TEAMS = 5;
const MIB = 1_048_576;

/**
 * Vendors' tool servers, as far as they are installed in CASEBOOK_TOOL_SERVERS_DIR: from the start to the list of tools,
 * and the memory of each further team, beside a Node that does nothing.
 */
export const toolServers: Benchmark = {
  name: 'tool-servers',
  about: `start and memory of vendors' tool servers, ${TEAMS} teams each`,
  run: benchToolServers,
};

const families = {
  'cloud-monitor-a': {
    settings: { tenant_id: randomUUID(), subscription_id: randomUUID(), client_id: randomUUID() },
    secrets: { client_secret: 'none' },
  },
  'cloud-b-official': {
    settings: { project_id: 'none' },
    secrets: { client_id: 'none', client_secret: 'none', refresh_token: 'none' },
  },
} as const;

async function benchToolServers({ say }: BenchOptions): Promise<BenchReport> {
  const house = loadConfig({
    DATABASE_URL: 'postgresql://localhost/none',
    CASEBOOK_TOOL_SERVERS_DIR: process.env['CASEBOOK_TOOL_SERVERS_DIR'],
  }).integrations;
  const options = { log: createLogger({ name: 'bench', level: 'silent' }), client: { name: 'bench', version: '0' } };
  const idle = median(Array.from({ length: TEAMS }, () => timeOf(() => spawnSync(process.execPath, ['-e', '0']))));
  const results: BenchResult[] = [];
  for (const [family, connection] of Object.entries(families)) {
    const target = { ...connection, family, slug: family, via: null } as unknown as Target;
    const program = programOf(target.family, house);
    if (!program) {
      say(`the tool server of ${family} is not installed`);
      continue;
    }
    const others = new Set(descendantsOf(process.pid));
    const started: number[] = [];
    const open: OpenMcp[] = [];
    try {
      for (let team = 0; team < TEAMS; team++) {
        say(`${program.name}, team ${team + 1} of ${TEAMS}`);
        const began = performance.now();
        open.push(await openMcp(settingsOfProgram(target, house), options));
        started.push(performance.now() - began);
      }
      const pids = descendantsOf(process.pid).filter((pid) => !others.has(pid));
      const each = pids.reduce((sum, pid) => sum + residentBytes(pid), 0) / TEAMS;
      results.push(
        compared(`${program.name} ready`, significant(median(started)), 'ms', '`node -e 0`', significant(idle), {
          note: `the first ${significant(started[0]!)} ms`,
        }),
        compared(
          `${program.name}, memory for each team`,
          significant(each / MIB),
          'MiB',
          'an idle Node',
          significant(idleMiB()),
          {},
        ),
      );
    } finally {
      await Promise.all(open.map((one) => one.close()));
    }
  }
  return { results };
}

function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

function idleMiB(): number {
  const { stdout } = spawnSync(process.execPath, ['-e', 'console.log(process.memoryUsage.rss())'], {
    encoding: 'utf8',
  });
  return Number(stdout) / MIB;
}
