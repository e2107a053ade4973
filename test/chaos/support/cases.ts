/**
 * Investigations for tests that kill processes. Each has a name in its query, by which the scripted model knows what to
 * answer and the tests count what was asked: three turns that query Prometheus, then the report.
 */
import assert from 'node:assert/strict';
import { investigationWorkflowId } from '../../../src/features/investigations/contract.ts';
import { mostAttemptsOn, withoutGivenUp } from '../../support/given-up.ts';
import type { Installation } from '../../support/installation/index.ts';
import {
  OUT_OF_SCRIPT,
  type RecordedRequest,
  type ScriptContext,
  type ScriptedStep,
} from '../../support/scripted-model/index.ts';
import { assembleSteps, followRun, type RunFollower } from '../../support/run-follower.ts';
import { reportInput } from '../../support/scripts.ts';
import { caseOf, queryOf } from './by-case.ts';

/** Turn that a case can hold, and turn whose tool call a case can hold; counted from 0. */
export const HELD_TURN = 1;
export const TURNS = 4;
export const STEP_OF_HELD_TURN = HELD_TURN + 1;

export type Held = 'model' | 'tool' | 'nothing';

/** Plays every case: what is held is part of its name. */
export function playCases(context: ScriptContext): ScriptedStep {
  const name = caseOf({ body: context.request });
  return stepsOf(name, heldIn(name))[context.turn] ?? OUT_OF_SCRIPT;
}

function heldIn(name: string): Held {
  return name.endsWith('-model') ? 'model' : name.endsWith('-tool') ? 'tool' : 'nothing';
}

function stepsOf(name: string, held: Held): ScriptedStep[] {
  const looking = (turn: number): ScriptedStep => ({
    thinking: `Thought ${turn} of ${name}: the database is a suspect, and its callers are victims.`,
    text: `Turn ${turn} of ${name}. I look at the database next, because everything that is slow depends on it.`,
    toolUses: [{ name: 'promql', input: { source: 'prometheus', expr: expressionOf(name, turn, held) } }],
    deltaCharacters: 12,
    ...(held === 'model' && turn === HELD_TURN && { hold: { gate: name, at: 'middle' as const } }),
  });
  const report = reportInput({ citations: [{ n: 1, evidence: 1, excerpts: ['"source":"prometheus"'] }] });
  return [
    ...Array.from({ length: TURNS - 1 }, (_, turn) => looking(turn)),
    { text: `Turn ${TURNS - 1} of ${name}. I have it.`, toolUses: [{ name: 'submit_report', input: report }] },
  ];
}

function expressionOf(name: string, turn: number, held: Held): string {
  const gate = held === 'tool' && turn === HELD_TURN ? `,gate="${name}"` : '';
  return `seconds{case="${name}",turn="${turn}"${gate}}`;
}

export interface RunningCase {
  name: string;
  id: string;
  follower: RunFollower;
  /** Lets what is held go on. */
  release(): void;
  /** Whether the client of what is held has gone away. */
  cutOff(): boolean;
  /** How often the model was asked for each turn. */
  modelRequests(): number[];
  /** How often Prometheus was asked by the tool call of each turn that makes one. */
  toolRequests(): number[];
  /** Requests to the model for a turn, in order. */
  asked(turn: number): RecordedRequest[];
}

/** Starts an investigation and follows its events. */
export async function startCase(
  installation: Installation,
  name: string,
  held: Held,
  headers: Record<string, string> = {},
): Promise<RunningCase> {
  const named = held === 'nothing' ? name : `${name}-${held}`;
  const { model, prometheus } = installation;
  const id = await installation.investigate(queryOf(named), headers);
  const asked = (turn: number): RecordedRequest[] =>
    model.requests.filter((request) => caseOf(request) === named && request.turn === turn);
  const queried = (turn: number): number =>
    prometheus.queries.filter(({ expr }) => expr.includes(`case="${named}",turn="${turn}"`)).length;
  return {
    name: named,
    id,
    follower: followRun({
      url: `${installation.apiUrl}/api/investigations/${id}/events`,
      headers: installation.headers,
    }),
    release() {
      model.release(named);
      prometheus.release(named);
    },
    cutOff: () =>
      asked(HELD_TURN).some(({ aborted }) => aborted) ||
      prometheus.queries.some(({ expr, aborted }) => expr.includes(`gate="${named}"`) && aborted),
    asked,
    modelRequests: () => Array.from({ length: TURNS }, (_, turn) => asked(turn).length),
    toolRequests: () => Array.from({ length: TURNS - 1 }, (_, turn) => queried(turn)),
  };
}

/** Waits until the case is where it is held: half of the answer has been seen, or the tool's query is under way. */
export async function untilHeld(installation: Installation, { name, follower }: RunningCase): Promise<void> {
  const held = heldIn(name);
  if (held === 'tool') await installation.prometheus.waitForHold(name);
  if (held !== 'model') return;
  await installation.model.waitForHold(name);
  await follower.until(
    ({ type, data }) => type === 'text.delta' && data.step === STEP_OF_HELD_TURN,
    `the first text of the held turn of ${name}`,
  );
}

/** Starts one investigation in the middle of a model turn and one in the middle of a tool call. */
export async function startHeldPair(installation: Installation, name: string): Promise<[RunningCase, RunningCase]> {
  const pair: [RunningCase, RunningCase] = [
    await startCase(installation, name, 'model'),
    await startCase(installation, name, 'tool'),
  ];
  for (const one of pair) await untilHeld(installation, one);
  return pair;
}

interface Detail {
  status: string;
  investigation_text: string | null;
  steps: { step: number; text: string; reasoning: string; tool_calls: { status: string; is_error: boolean }[] }[];
  report: { title: string } | null;
  temporal: { workflow_id: string };
}

/**
 * Waits for the end and checks what must be true of every run, whatever was killed: completed with its report under the
 * same id, and a client of its events missed nothing and saw nothing twice.
 */
export async function checkCompleted(installation: Installation, running: RunningCase): Promise<void> {
  const { id, follower } = running;
  await follower.ended;
  assert.deepEqual(follower.refusals, []);
  const status = await installation.get<{ id: string; status: string; investigation_text: string }>(
    `/api/v1/investigations/${id}`,
  );
  assert.equal(status.id, id);
  assert.equal(status.status, 'completed');
  assert.match(status.investigation_text, /The pool of payment is exhausted \[1\]/);

  const detail = await installation.get<Detail>(`/api/investigations/${id}`);
  assert.equal(detail.temporal.workflow_id, `investigation-${id}`);
  assert.equal(detail.steps.length, TURNS);
  const calls = detail.steps.flatMap((step) => step.tool_calls);
  assert.deepEqual(
    calls.map((call) => [call.status, call.is_error]),
    calls.map(() => ['completed', false]),
  );

  await checkEvents(installation, running, detail);
}

async function checkEvents(installation: Installation, { id, follower }: RunningCase, detail: Detail): Promise<void> {
  const replay = followRun({
    url: `${installation.apiUrl}/api/investigations/${id}/events`,
    headers: installation.headers,
  });
  await replay.ended;
  assert.deepEqual(follower.events, replay.events, 'a client that was there all along saw what a replay shows');
  assert.equal(new Set(replay.events.map((event) => event.id)).size, replay.events.length);
  const count = (type: string) => replay.events.filter((event) => event.type === type).length;
  assert.equal(count('run.started'), 1);
  assert.equal(count('run.completed'), 1);
  assert.equal(count('turn.completed'), TURNS);
  assert.equal(count('tool.started'), TURNS);
  assert.equal(count('tool.completed'), TURNS);

  const assembled = assembleSteps(follower.events);
  for (const { step, text, reasoning } of detail.steps) {
    const { text: shown, thinking, completedText } = assembled.get(step)!;
    assert.deepEqual(
      { step, text: shown, thinking, completedText },
      { step, text, thinking: reasoning, completedText: text },
    );
  }
}

const ONCE = { model: Array.from({ length: TURNS }, () => 1), tool: Array.from({ length: TURNS - 1 }, () => 1) };

/**
 * Checks how often was asked for each turn and by each tool call: as often as given, and more only where Temporal gave the
 * attempt up.
 */
export async function checkAsked(
  { temporalAddress }: Pick<Installation, 'temporalAddress'>,
  running: RunningCase,
  { model = ONCE.model, tool = ONCE.tool }: { model?: number[]; tool?: number[] },
): Promise<void> {
  const target = { address: temporalAddress, namespace: 'default' };
  const most = await mostAttemptsOn(target, investigationWorkflowId(running.id), 'modelTurn', 'callTool');
  assert.deepEqual(
    {
      model: withoutGivenUp(running.modelRequests(), model, most.modelTurn),
      tool: withoutGivenUp(running.toolRequests(), tool, most.callTool),
    },
    { model, tool },
  );
}

/**
 * Nothing was asked twice.
 * @param stored how often was asked for the held turn, or by its call, by when that was stored: since then never again,
 *   whatever Temporal gave up
 */
export async function checkAskedOnce(
  installation: Pick<Installation, 'temporalAddress'>,
  running: RunningCase,
  stored: { model?: number; tool?: number } = {},
): Promise<void> {
  await checkAsked(installation, running, {});
  if (stored.model !== undefined) assert.equal(running.modelRequests()[HELD_TURN], stored.model);
  if (stored.tool !== undefined) assert.equal(running.toolRequests()[HELD_TURN], stored.tool);
}

/** What was in flight may have been asked for again; nothing else. */
export async function checkCutAtMostOnceMore(
  installation: Pick<Installation, 'temporalAddress'>,
  [turn, tool]: [RunningCase, RunningCase],
): Promise<void> {
  const again = (counts: number[], once: number[]): number[] => once.with(HELD_TURN, counts[HELD_TURN] === 2 ? 2 : 1);
  await checkAsked(installation, turn, { model: again(turn.modelRequests(), ONCE.model) });
  await checkAsked(installation, tool, { tool: again(tool.toolRequests(), ONCE.tool) });
}
