/** The dependency graph around an investigation's suspect, from what the investigation found. Pure. */
import type { z } from 'zod';
import type { CheckedReport } from '../report/schema.ts';
import { callsIn, type KnownCall } from './calls.ts';
import { faultPath, nearestFirst } from './paths.ts';
import { fromOneSystem, readResults, type StoredResult } from './results.ts';
import type { InvestigationGraphResponse, SERVICE_ROLES } from './schemas.ts';
import { suspicions, type Suspicion } from './suspicions.ts';

export type InvestigationGraph = z.output<typeof InvestigationGraphResponse>;
type Role = (typeof SERVICE_ROLES)[number];

export interface GraphInput {
  /** null if absent. */
  report: Pick<CheckedReport, 'root_cause' | 'hypotheses'> | null;
  isRunning: boolean;
  /** Results of tools that say something about services. */
  results: readonly StoredResult[];
  /** Every call that looked at one service. */
  looks: readonly { toolCallId: string; evidence: number; service: string }[];
  /** Known results that were not read. */
  omitted: number;
}

const MAX_SERVICES = 200;
const MAX_CALLS = 1_000;
const MAX_EVIDENCE = 12;
const MAX_NOTES = 12;

export function buildGraph(input: GraphInput): InvestigationGraph {
  const read = fromOneSystem(readResults(input.results));
  const calls = callsIn(read);
  const known = suspicions(
    read,
    input,
    calls.flatMap(({ caller, callee }) => [caller, callee]),
  );
  const { suspect, alerting, isTentative } = known;

  const path =
    suspect === null || alerting === null
      ? []
      : faultPath(calls, { from: alerting, to: suspect }, (name) => known.of(name).weight);
  const centre = [...new Set([suspect, ...path, alerting].filter((name) => name !== null))];
  const order = nearestFirst(calls, centre, known.byScore());
  const shown = new Set(order.slice(0, MAX_SERVICES));
  const steps = new Set(path.slice(1).map((callee, index) => JSON.stringify([path[index], callee])));
  const isOnPath = ({ caller, callee }: KnownCall): boolean => steps.has(JSON.stringify([caller, callee]));
  const among = calls.filter(({ caller, callee }) => shown.has(caller) && shown.has(callee));
  const kept = among.toSorted((a, b) => Number(isOnPath(b)) - Number(isOnPath(a))).slice(0, MAX_CALLS);
  const roleOf = (name: string, { isRuledOut, isAffected }: Suspicion): Role => {
    if (name === suspect) return 'suspect';
    if (name === alerting) return 'alerting';
    // What the fault passed through is affected, even if somebody took it for the cause.
    if (path.includes(name)) return 'affected';
    return isRuledOut ? 'ruled_out' : isAffected ? 'affected' : 'related';
  };

  const isCut = order.length > shown.size || among.length > kept.length || input.omitted > 0;
  return {
    suspect,
    is_tentative: isTentative,
    alerting,
    services: [...shown].map((name) => {
      const one = known.of(name);
      const evidence = [...one.evidence].sort(([a], [b]) => a - b).slice(0, MAX_EVIDENCE);
      return {
        name,
        role: roleOf(name, one),
        score: one.score,
        rank: one.rank,
        reason: one.reason,
        evidence: evidence.map(([number, id]) => ({ tool_call_id: id, evidence: number })),
      };
    }),
    calls: kept.map((call) => ({
      caller: call.caller,
      callee: call.callee,
      calls_per_second: call.callsPerSecond,
      error_ratio: call.errorRatio,
      p95_seconds: call.p95Seconds,
      figures_as_of: call.asOf,
      stale: call.stale,
      on_fault_path: isOnPath(call),
    })),
    fault_path: path,
    truncated: isCut || read.dependencies.some(({ truncated }) => truncated),
    notes: notesOn(input, { suspect, alerting, isTentative, path, calls, read }).slice(0, MAX_NOTES),
  };
}

interface Built {
  suspect: string | null;
  alerting: string | null;
  isTentative: boolean;
  path: string[];
  calls: KnownCall[];
  read: ReturnType<typeof readResults>;
}

function notesOn({ isRunning, omitted }: GraphInput, built: Built): string[] {
  const { suspect, alerting, isTentative, path, calls, read } = built;
  const notes: string[] = [];
  if (isTentative) {
    notes.push(
      `${isRunning ? 'The investigation is still running' : 'There is no report'}: the suspect is the top-ranked service.`,
    );
  } else if (suspect === null) {
    notes.push(isRunning ? 'No suspect yet.' : 'The investigation names no service at fault.');
  }
  if (calls.length === 0) notes.push('Service dependencies were not queried.');
  else if (suspect !== null && alerting !== null && path.length === 0)
    notes.push(`No call path from ${alerting} to ${suspect} was observed.`);
  if (suspect !== null && alerting === null) notes.push('The alerting service is unknown.');
  if (read.unreadable > 0) notes.push(`Unreadable tool results: ${read.unreadable}.`);
  if (omitted > 0) notes.push(`Tool results left out: ${omitted}.`);
  return [...notes, ...new Set(read.dependencies.flatMap(({ notes: said }) => said))];
}
