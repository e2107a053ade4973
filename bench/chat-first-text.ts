import Anthropic from '@anthropic-ai/sdk';
import { Client as Database } from 'pg';
import { createTemporalClient } from '../temporal/connection.ts';
import { chatTurnWorkflowId } from '../src/features/chats/contract.ts';
import type { MessagesRequest } from '@casebook/offline-model';
import { startScriptedModel, type ScriptedModel, type ScriptedStep } from '../test/support/scripted-model/index.ts';
import type { Benchmark, BenchOptions, BenchReport, BenchTable } from './benchmark.ts';
import type { BenchResult } from './result.ts';
import { now, uiEvents } from './support/chat-stream.ts';
import { runProgram } from './support/program.ts';
import { withStack, type Stack } from './support/stack.ts';
import type { StartWaysInput, StartWaysOutput } from './support/start-ways.ts';
import { median, quantile, significant } from './support/statistics.ts';
import { momentsOf, type TurnMoments } from './support/turn-stages.ts';

const PAIRS = 60;
const WARM_UP = 15;
const MEDIAN_TARGET = 150;
const P95_TARGET = 300;
/** The model's own time before each delta. */
const MODEL_MS = 20;

/**
 * Time from sending a question to its first words: a chat turn of the API against the same request sent to the same
 * scripted server through the Anthropic SDK. One after the other, in turns: direct, a new chat, a second question in that
 * chat. The overhead of a turn is its time minus that of the direct request beside it.
 */
export const chatFirstText: Benchmark = {
  name: 'chat-first-text',
  about: `${PAIRS} chat turns, each beside the same request sent to the model directly`,
  run: benchFirstText,
};

const answer: ScriptedStep = {
  text: 'Nothing is broken. '.repeat(20),
  deltaCharacters: 20,
  delayMsBetweenDeltas: MODEL_MS,
};

interface Model {
  server: ScriptedModel;
  /** When the last question arrived. */
  askedAt: number;
  /** The body of the last question. */
  asked?: MessagesRequest;
}

async function startModel(): Promise<Model> {
  const model: Omit<Model, 'server'> = { askedAt: 0 };
  const server = await startScriptedModel(({ request }) => {
    if (isTask(request)) return { text: 'A chat' };
    model.askedAt = now();
    model.asked = request;
    return answer;
  });
  return Object.assign(model, { server });
}

/** Titles and summaries are asked for beside the turn. */
const isTask = ({ messages }: MessagesRequest): boolean => JSON.stringify(messages.at(-1)).includes('<task name=');

async function benchFirstText(options: BenchOptions): Promise<BenchReport> {
  const model = await startModel();
  try {
    const env = { ANTHROPIC_BASE_URL: model.server.url, ANTHROPIC_API_KEY: 'bench' };
    const postgres = { track_commit_timestamp: 'on' };
    return await withStack({ ...options, env, postgres }, (stack) => measure(options, stack, model));
  } finally {
    await model.server.stop();
  }
}

interface Turn extends TurnMoments {
  sent: number;
  asked: number;
  firstText: number;
  /** Its time beyond that of the direct request beside it. */
  overhead: number;
}

async function measure({ say, signal }: BenchOptions, stack: Stack, model: Model): Promise<BenchReport> {
  const database = new Database(stack.databaseUrl);
  const temporal = createTemporalClient(stack.temporal);
  const sdk = new Anthropic({ baseURL: model.server.url, apiKey: 'bench', maxRetries: 0, logLevel: 'off' });
  await database.connect();
  try {
    const direct: number[] = [];
    const turns: Record<'first' | 'second', Turn[]> = { first: [], second: [] };
    const turn = async (directMs: number, chatId?: string): Promise<{ chatId: string; turn: Turn }> => {
      const said = await ask(stack, signal, chatId);
      const asked = model.askedAt;
      // Waits until the turn is completely done, so that the next step is measured alone.
      await temporal.workflow.getHandle(chatTurnWorkflowId(said.turnId)).result();
      const overhead = said.firstText - said.sent - directMs;
      return {
        chatId: said.chatId,
        turn: { ...(await momentsOf(said.turnId, database, temporal)), ...said, asked, overhead },
      };
    };
    await ask(stack, signal);
    say(`${WARM_UP} turns to warm up, then ${PAIRS} pairs`);
    for (let pair = -WARM_UP; pair < PAIRS; pair++) {
      signal.throwIfAborted();
      const directMs = await askDirectly(sdk, model, signal);
      const first = await turn(directMs);
      const second = await turn(directMs, first.chatId);
      if (pair < 0) continue;
      direct.push(directMs);
      turns.first.push(first.turn);
      turns.second.push(second.turn);
    }
    return {
      results: [...results('a new chat', turns.first, direct), ...results('a second question', turns.second, direct)],
      tables: [
        stages('new chats', turns.first, direct),
        stages('second questions', turns.second, direct),
        await startWays(stack, signal),
      ],
    };
  } finally {
    await database.end();
    await temporal.connection.close();
  }
}

/** @returns milliseconds from the call to the first words */
async function askDirectly(sdk: Anthropic, model: Model, signal: AbortSignal): Promise<number> {
  if (!model.asked) throw new Error('Nobody has asked the model yet.');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the scripted server has checked what it was sent
  const body = model.asked as unknown as Anthropic.MessageCreateParamsStreaming;
  const sent = now();
  let firstText = Number.NaN;
  for await (const event of await sdk.messages.create({ ...body, stream: true }, { signal })) {
    if (event.type === 'content_block_delta' && Number.isNaN(firstText)) firstText = now();
  }
  return firstText - sent;
}

async function ask(stack: Stack, signal: AbortSignal, chatId?: string) {
  const sent = now();
  const response = await fetch(`${stack.apiUrl}/api/v1/chat?stream=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Is anything broken?' }], chat_id: chatId }),
    signal,
  });
  let firstText = Number.NaN;
  let ids = { turnId: '', chatId: '' };
  for await (const { type, chunk, at } of uiEvents(response)) {
    if (type === 'start') ids = { turnId: String(chunk['messageId']), chatId: String(chunk['chatId']) };
    if (type === 'text-delta' && Number.isNaN(firstText)) firstText = at;
    if (type === 'error') throw new Error(`The turn failed: ${String(chunk['errorText'])}`);
  }
  return { ...ids, sent, firstText };
}

function results(what: string, turns: Turn[], direct: number[]): BenchResult[] {
  const overheads = turns.map(({ overhead }) => overhead);
  const figure = (name: string, of: (values: readonly number[]) => number, target: number): BenchResult => {
    const value = of(turns.map(({ sent, firstText }) => firstText - sent));
    const overhead = of(overheads);
    const baseline = of(direct);
    return {
      name: `first text of ${what}, ${name}`,
      value,
      unit: 'ms',
      baseline: { name: 'the same request, direct SDK stream', value: baseline, unit: 'ms' },
      ratio: value / baseline,
      target: `overhead <= ${target} ms`,
      met: overhead <= target,
      note: `overhead, ${name} of the pairs: ${significant(overhead)} ms`,
    };
  };
  return [figure('median', median, MEDIAN_TARGET), figure('p95', p95, P95_TARGET)];
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

/** Each stage ends with what its row names. */
function stages(what: string, turns: Turn[], direct: number[]): BenchTable {
  const row = (name: string, from: keyof Turn, to: keyof Turn): [string, number, number] => {
    const ms = turns.map((turn) => turn[to] - turn[from]);
    return [name, Number(median(ms).toFixed(1)), Number(p95(ms).toFixed(1))];
  };
  const modelMs = median(direct).toFixed(1);
  return {
    title: `Where the milliseconds of ${what} go until the first text, ${turns.length} turns`,
    columns: ['stage', 'median ms', 'p95 ms'],
    rows: [
      row('request -> turn committed', 'sent', 'committed'),
      row('-> start taken by Temporal', 'committed', 'started'),
      row('-> workflow task at the worker', 'started', 'taskStarted'),
      row('-> workflow task answered, model turn scheduled', 'taskStarted', 'activityScheduled'),
      row('-> model turn at the worker', 'activityScheduled', 'activityStarted'),
      row('-> model asked', 'activityStarted', 'asked'),
      row(`-> first text in the event log (the direct request takes ${modelMs})`, 'asked', 'appended'),
      row('-> first text at the client', 'appended', 'firstText'),
      row('all', 'sent', 'firstText'),
      row('beside: committed -> start noted by the API', 'committed', 'startAnswered'),
    ],
  };
}

/** The SDK's options for a faster start, whether the product uses them, and what each saves. */
async function startWays({ temporal: { address, namespace } }: Stack, signal: AbortSignal): Promise<BenchTable> {
  const input: StartWaysInput = { address, namespace, rounds: PAIRS, warmUp: WARM_UP };
  const ways = await runProgram<StartWaysOutput>('start-ways.ts', input, signal);
  const slowest = median(ways.polled);
  const row = (name: string, used: string, ms: number[]): BenchTable['rows'][number] => [
    name,
    used,
    Number(median(ms).toFixed(1)),
    Number(p95(ms).toFixed(1)),
    Number((slowest - median(ms)).toFixed(1)),
  ];
  return {
    title: `From the call of a start to the begin of its first activity, ${PAIRS} each, client and worker in one process`,
    columns: ['way', 'used', 'median ms', 'p95 ms', 'saves ms'],
    rows: [
      row('start, then a poll for the activity', 'before', ways.polled),
      row('start, the activity with the answer to the workflow task (eager activity)', 'yes', ways['eager activity']),
      row(
        'the same, the workflow task with the answer to the start (eager start)',
        'no: one process',
        ways['eager start'],
      ),
      row('update with start', 'no', ways['update with start']),
      row('the answer to that update (early return)', 'no: nobody waits for it', ways['early return']),
      row('start, a local activity', 'no: no heartbeat', ways['local activity']),
    ],
  };
}
