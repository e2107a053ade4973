/**
 * The labelled set. The held-out half is not looked into when the matcher is changed: only its sums are. Most of it
 * was written before the matcher, the rest (`fresh.ts`) when the matcher was done.
 */
import type { LabelledCase } from './case.ts';
import { freshCases } from './held-out/fresh.ts';
import { jsonCases as heldOutJson } from './held-out/json.ts';
import { laterCases } from './tuned/later.ts';
import { logCases as heldOutLogs } from './held-out/logs.ts';
import { proseCases as heldOutProse } from './held-out/prose.ts';
import { tableCases as heldOutTables } from './held-out/tables.ts';
import { jsonCases } from './tuned/json.ts';
import { logCases } from './tuned/logs.ts';
import { mixedCases } from './tuned/mixed.ts';
import { proseCases } from './tuned/prose.ts';
import { tableCases } from './tuned/tables.ts';

export const heldOutCases: LabelledCase[] = [
  ...heldOutJson,
  ...heldOutLogs,
  ...heldOutTables,
  ...heldOutProse,
  ...freshCases,
];
export const tunedCases: LabelledCase[] = [
  ...jsonCases,
  ...logCases,
  ...tableCases,
  ...proseCases,
  ...mixedCases,
  ...laterCases,
];
