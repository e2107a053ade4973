import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, BenchOptions, BenchReport } from './benchmark.ts';
import { greenPlan } from './support/monitoring-fleet.ts';
import { withMonitoringStack, type MonitoringStack } from './support/monitoring-stack.ts';

/** A check every 5 minutes for a day. */
const RUNS = 288;
/** Runs of the check that a model carries out, of which a day is reckoned. */
const BY_MODEL = 12;
const PAUSE_MS = 20;

/**
 * A day of green checks: what the model is asked, and what tokens the sessions say were spent, while one check is run as often
 * as in a day of a check every 5 minutes; against the same check carried out by a model, whose answers are scripted and the fewest
 * there can be: it looks once, and hands in the result.
 */
export const monitoringTokens: Benchmark = {
  name: 'monitoring-tokens',
  about: `what models are asked in a day of ${RUNS} green checks`,
  run: (options) => withMonitoringStack(options, (stack) => measure(options, stack)),
};

interface Spent {
  sessions: number;
  requests: number;
  tokens: number;
}

async function measure({ say, signal }: BenchOptions, stack: MonitoringStack): Promise<BenchReport> {
  const [check] = greenPlan(1, 86_400).checks;
  const instruction = { type: 'instruction', instruction: 'Look whether the shop is up.', max_steps: 4 };
  say(`${RUNS} runs of a green check`);
  const green = await spend(stack, { ...check, check: check!.check }, RUNS, signal);
  say(`${BY_MODEL} runs by a model`);
  const byModel = await spend(stack, { ...check, check: instruction }, BY_MODEL, signal);
  const day = RUNS / byModel.sessions;
  const compare = (name: string, value: number, unit: string, baseline: number) => ({
    name,
    value,
    unit,
    baseline: { name: 'the check carried out by a model', value: Math.round(baseline), unit },
    ratio: value / baseline,
    target: '0',
    met: value === 0 && green.sessions === RUNS,
    note: `${green.sessions} sessions, all of them ok; the baseline is ${byModel.sessions} sessions, times ${day}`,
  });
  return {
    results: [
      compare('requests to models in a day of green checks', green.requests, 'requests', byModel.requests * day),
      compare('tokens in a day of green checks', green.tokens, 'tokens', byModel.tokens * day),
    ],
  };
}

/** Makes an agent with one check and has it run, one run after the other. @throws when a run is not ok */
async function spend(stack: MonitoringStack, check: object, runs: number, signal: AbortSignal): Promise<Spent> {
  const before = stack.modelRequests.length;
  const { chat_id: id } = await stack.call<{ chat_id: string }>('POST', '/api/monitoring-chat', {
    message: 'Watch the shop.',
    plan: { checks: [check] },
  });
  // The first run is the new check's own.
  for (let run = 1; run <= runs; run++) {
    while ((await ended(stack, id)).sessions < run) await sleep(PAUSE_MS, undefined, { signal });
    if (run < runs) await stack.call('POST', `/api/monitoring-chat/${id}/run`, {});
  }
  const { sessions, tokens, ok, trouble } = await ended(stack, id);
  if (ok !== sessions) throw new Error(`${sessions - ok} of ${sessions} runs were not ok: ${trouble}`);
  await stack.call('POST', `/api/monitoring-chat/${id}/pause`);
  return { sessions, tokens, requests: stack.modelRequests.length - before };
}

async function ended({ database }: MonitoringStack, agentId: string) {
  const { rows } = await database.query<Record<'sessions' | 'tokens' | 'ok' | 'trouble', string>>(
    `select count(*) as sessions, count(*) filter (where status = 'ok') as ok,
            coalesce(sum(input_tokens + output_tokens), 0) as tokens,
            min(summary) filter (where status <> 'ok') as trouble
       from monitoring_sessions where agent_id = $1 and status <> 'running'`,
    [agentId],
  );
  const { sessions, tokens, ok, trouble } = rows[0]!;
  return { sessions: Number(sessions), tokens: Number(tokens), ok: Number(ok), trouble };
}
