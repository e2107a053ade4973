import { Client } from 'pg';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { fillChats, type ChatOwner } from './support/fill-chats.ts';
import { runProgram } from './support/program.ts';
import { withStack, type Stack } from './support/stack.ts';
import { median, quantile, significant } from './support/statistics.ts';
import type { TimeHttpInput, TimeHttpOutput } from './support/time-http.ts';

const MANY = 100_000;
const FEW = 100;
const ROUNDS = 5;
const REQUESTS = 120;
const SEARCHES = 15;
const TARGET_RATIO = 2;

/**
 * A page of the list of chats of a team with 100,000 of them, against the same page of a team with 100, in one database
 * and in alternating rounds: one request at a time, and from 8 connections. Then searches, for information.
 */
export const chatList: Benchmark = {
  name: 'chat-list',
  about: `pages of ${MANY.toLocaleString('en-US')} chats against pages of ${FEW}`,
  run: (options) => withStack(options, (stack) => measure(options, stack)),
};

interface Page {
  name: string;
  path: string;
  requests: number;
  /** Most the ratio may be; absent where a figure is information. */
  target?: number;
}

const PAGES: readonly Page[] = [
  { name: 'page 1', path: '/api/chat?page=1' },
  { name: 'page 3', path: '/api/chat?page=3' },
  { name: 'page 1 of my chats', path: '/api/chat?page=1&my_chats=true' },
].map((page) => ({ ...page, requests: REQUESTS, target: TARGET_RATIO }));

const SEARCH_PAGES: readonly Page[] = [
  { name: 'search, a word of 30 chats', path: '/api/chat/search?q=needle', requests: SEARCHES },
  { name: 'search, the beginning of a word of 1 chat in 5', path: '/api/chat/search?q=word77', requests: SEARCHES },
  { name: 'search, a word of all chats', path: '/api/chat/search?q=everywhere', requests: SEARCHES },
];

async function measure(options: BenchOptions, stack: Stack): Promise<BenchReport> {
  const { say, signal } = options;
  const [many, few] = [await createTeam(stack, 'many'), await createTeam(stack, 'few')];
  const database = new Client(stack.databaseUrl);
  await database.connect();
  try {
    say('inserting chats');
    await fillChats(database, many, MANY);
    await fillChats(database, few, FEW);
    await database.query('vacuum analyze chats, chat_turns, runs');
  } finally {
    await database.end();
  }
  const time = ({ path, requests }: Page, { apiKey }: Team, connections: number): Promise<TimeHttpOutput> => {
    const input: TimeHttpInput = { url: stack.apiUrl + path, headers: { 'x-api-key': apiKey }, connections, requests };
    return runProgram('time-http.ts', input, signal);
  };
  const results: BenchResult[] = [];
  const rows: BenchTable['rows'] = [];
  for (const connections of [1, 8]) {
    for (const page of connections === 1 ? [...PAGES, ...SEARCH_PAGES] : PAGES) {
      say(`${page.name}, ${connections} at a time`);
      const ms: Record<'many' | 'few', number[]> = { many: [], few: [] };
      for (let round = 0; round <= ROUNDS; round++) {
        // The first to run inherits the state of the machine, so they alternate. The first round warms up.
        for (const of of round % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
          const timed = await time(page, of === 'many' ? many : few, connections);
          if (round > 0) ms[of].push(...timed);
        }
      }
      const name = `${page.name}, ${connections === 1 ? 'one request at a time' : `${connections} connections`}`;
      results.push(result(name, page, ms));
      rows.push([name, ...[ms.few, ms.many].flatMap((of) => [median(of), p99(of)]).map((value) => significant(value))]);
    }
  }
  const columns = ['request', `${FEW} chats, median ms`, 'p99', `${MANY} chats, median ms`, 'p99'];
  return { results, tables: [{ title: 'Lists of chats', columns, rows }] };
}

const p99 = (values: readonly number[]): number => quantile(values, 0.99);

function result(name: string, { target }: Page, { many, few }: Record<'many' | 'few', number[]>): BenchResult {
  const [value, baseline] = [median(many), median(few)];
  const ratio = value / baseline;
  return {
    name: `chats, ${name}, of ${MANY.toLocaleString('en-US')}`,
    value,
    unit: 'ms',
    baseline: { name: `the same of ${FEW} chats`, value: baseline, unit: 'ms' },
    ratio,
    ...(target !== undefined && { target: `<= ${target}x`, met: ratio <= target }),
  };
}

type Team = ChatOwner & { apiKey: string };

async function createTeam(stack: Stack, name: string): Promise<Team> {
  const { team, api_key: key } = await stack.call<{
    team: { id: string };
    api_key: { id: string; api_key: string; user_id: string | null };
  }>('POST', '/api/teams', { name, admin_email: `${name}@example.com`, admin_name: name });
  return { teamId: team.id, credentialId: key.id, userId: key.user_id, apiKey: key.api_key };
}
