/**
 * Replays a plan. A plan names the next calls from what it knows so far; it is replayed over the chat's calls until it
 * wants one that was not made. So follow-ups reuse earlier results, and the same transcript always leads to the same
 * next step.
 */
import type { PlannedCall, Turn } from '../../decide.ts';
import type { Call } from '../../transcript.ts';
import { openCase, type CaseFile, type Settled } from '../investigation/case-file.ts';
import { isLive } from '../investigation/sources.ts';
import { timeOf, type Chat } from './chat.ts';
import { isSame } from '../calls.ts';

export interface Plan {
  /** Words to compare sources and alerts with. */
  query: string;
  settle?: (file: CaseFile) => Settled | undefined;
  next: (file: CaseFile) => Turn | undefined;
}

export const NOTHING: Plan = { query: '', next: () => undefined };

interface Progress {
  file: CaseFile;
  /** Absent when the plan is complete. */
  pending?: Turn;
}

/** Their results stay valid for a while, so follow-ups reuse them. */
const READING = new Set([
  'list_sources',
  'list_services',
  'search_metrics',
  'query_metric',
  'search_logs',
  'service_dependencies',
  'recent_changes',
  'rank_root_causes',
]);
/** Repeating these gives a new answer. */
const WAITING = new Set(['follow_investigation']);
const FRESH_MS = 5 * 60_000;
const MAX_ROUNDS = 30;

export function replay(chat: Chat, plan: Plan): Progress {
  const pool = [...chat.calls.toReversed(), ...reusable(chat).toReversed()];
  const taken: Call[] = [];
  const open = (turn: number): CaseFile => {
    const transcript = { turn, query: plan.query, remarks: [], calls: taken };
    const file = openCase(transcript);
    return plan.settle ? openCase(transcript, plan.settle(file)) : file;
  };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const file = open(round);
    const turn = plan.next(file);
    const missing: PlannedCall[] = [];
    const before = taken.length;
    for (const wanted of turn?.calls ?? []) {
      const again = WAITING.has(wanted.name);
      if (!again && taken.some((call) => isSame(call, wanted))) continue;
      const at = again
        ? pool.findLastIndex((call) => isSame(call, wanted))
        : pool.findIndex((call) => isSame(call, wanted));
      const [found] = at < 0 ? [] : pool.splice(at, 1);
      if (found) taken.push({ ...found, turn: round });
      else missing.push(wanted);
    }
    if (missing.length > 0) return { file: open(round), pending: { text: turn?.text ?? '', calls: missing } };
    if (taken.length === before) return { file };
  }
  return { file: open(MAX_ROUNDS) };
}

/** Earlier results: all of recorded incidents, only recent ones of live systems. */
function reusable(chat: Chat): Call[] {
  const file = openCase({ turn: 0, remarks: [], calls: [...chat.earlierCalls, ...chat.calls] });
  const recorded = new Set(file.sources?.result.sources.filter((source) => !isLive(source)).map(({ id }) => id));
  const allRecorded = file.sources !== undefined && recorded.size === file.sources.result.sources.length;
  const now = Date.parse(chat.now ?? '');
  return chat.earlierCalls.filter((call) => {
    if (call.isError || !READING.has(call.tool)) return false;
    const { source } = call.input;
    if (typeof source === 'string' ? recorded.has(source) : allRecorded) return true;
    const asked = chat.earlier.findLast(({ turn }) => turn <= call.turn);
    return asked !== undefined && now - Date.parse(timeOf(asked) ?? '') <= FRESH_MS;
  });
}
