/**
 * `npm run soak`: kills random processes of a running installation while investigations run, then checks every one of
 * them. `--seconds` of killing (75), `--seed` (1), `--at-once` investigations (6). Ends with 0 when each completed with its
 * report, nothing stored was asked for again, and nobody who followed a run missed anything or saw anything twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../../demo/simulator/random.ts';
import { waitUntil } from '../support/wait-until.ts';
import { caseOf, queryOf } from '../chaos/support/by-case.ts';
import { checkCompleted, playCases, startCase, type RunningCase } from '../chaos/support/cases.ts';
import { processNames, startInstallation, type ProcessName } from '../support/installation/index.ts';

const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 7_000;
/** So that a turn takes about a second, and most kills hit something. */
const DELTA_PAUSE_MS = 25;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '75' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '6' },
  },
});
const seconds = Number(values.seconds);
const atOnce = Number(values['at-once']);
const random = createRandom(Number(values.seed), 'soak');

const asked: { name: string; turn: number; at: number }[] = [];
const installation = await startInstallation({
  script: (context) => {
    asked.push({ name: caseOf({ body: context.request }), turn: context.turn, at: Date.now() });
    return { ...playCases(context), delayMsBetweenDeltas: DELTA_PAUSE_MS };
  },
});
const killed: Record<ProcessName, number> = { postgres: 0, temporal: 0, worker: 0, api: 0 };
const until = performance.now() + seconds * 1_000;
const over = (): boolean => performance.now() >= until;

async function killAtRandom(): Promise<void> {
  while (!over()) {
    await sleep(SHORTEST_PAUSE_MS + random.next() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    const victims = new Set([random.pick(processNames), ...(random.next() < 0.25 ? [random.pick(processNames)] : [])]);
    const running = [...victims].filter((name) => installation.pid(name) !== undefined);
    await installation.kill(...running);
    for (const name of running) killed[name] += 1;
    console.error(`killed ${running.join(' and ') || 'nothing: it was down already'}`);
  }
}

/** Starts one investigation after the other; the API may be away, so each start is repeated with its key until it is taken. */
async function keepInvestigating(lane: number): Promise<RunningCase[]> {
  const cases: RunningCase[] = [];
  for (let number = 0; !over(); number += 1) {
    const name = `soak-${lane}-${number}`;
    const key = { 'idempotency-key': name };
    await waitUntil(() => installation.investigate(queryOf(name), key), {
      what: `the start of ${name}`,
    });
    const running = await waitUntil(() => startCase(installation, name, 'nothing', key), {
      what: name,
    });
    cases.push(running);
    await running.follower.ended;
  }
  return cases;
}

/** What was asked for after its answer had been stored. */
function askedAgain({ name, follower }: RunningCase): string[] {
  return follower.events
    .filter(({ type }) => type === 'turn.completed' || type === 'tool.completed')
    .flatMap(({ type, data }) => {
      const turn = Number(data.step) - 1;
      const storedAt = Date.parse(String(data['at']));
      const times =
        type === 'turn.completed'
          ? asked.filter((one) => one.name === name && one.turn === turn)
          : installation.prometheus.queries.filter(({ expr }) => expr.includes(`case="${name}",turn="${turn}"`));
      return times
        .filter(({ at }) => at > storedAt)
        .map(() => `${name}: ${type} of step ${turn + 1} was asked for again`);
    });
}

let problems: string[] = [];
try {
  const lanes = Array.from({ length: atOnce }, (_, lane) => keepInvestigating(lane));
  await killAtRandom();
  console.error('no more kills; waiting for the runs to end');
  const patience = AbortSignal.timeout(300_000);
  const stalled = new Promise<never>((_, reject) => {
    patience.addEventListener('abort', () => reject(new Error('runs are still under way after 5 minutes')), {
      once: true,
    });
  });
  const cases = (await Promise.race([Promise.all(lanes), stalled])).flat();
  await installation.untilReady();
  for (const one of cases) {
    await checkCompleted(installation, one).catch((error: unknown) => problems.push(`${one.name}: ${String(error)}`));
    problems = [...problems, ...askedAgain(one)];
  }
  const summary = {
    seed: Number(values.seed),
    seconds,
    killed,
    investigations: cases.length,
    modelRequests: asked.length,
    modelRequestsCut: installation.model.requests.filter(({ aborted }) => aborted).length,
    toolRequests: installation.prometheus.queries.length,
    connectionsOfFollowers: cases.reduce((sum, { follower }) => sum + follower.connections(), 0),
    problems,
  };
  console.log(JSON.stringify(summary, null, 2));
} catch (error) {
  problems.push(String(error));
  console.error(installation.errors());
  console.error(error);
} finally {
  await installation.stop();
}
process.exit(problems.length === 0 ? 0 : 1);
