import { isDeepStrictEqual } from 'node:util';
import type { PlannedCall } from '../decide.ts';
import type { Call } from '../transcript.ts';
import type { CaseFile } from './investigation/case-file.ts';
import { parsePartialJson } from './investigation/partial-json.ts';

/** The order of members does not matter, since stores do not keep it. */
export function wasMade({ calls }: Pick<CaseFile, 'calls'>, { name, input }: PlannedCall): boolean {
  return calls.some((call) => call.tool === name && isDeepStrictEqual(call.input, { ...input }));
}

export function callsOf({ calls }: Pick<CaseFile, 'calls'>, tool: string): Call[] {
  return calls.filter((call) => call.tool === tool);
}

export function lastCall(file: Pick<CaseFile, 'calls'>, tool: string): Call | undefined {
  return callsOf(file, tool).at(-1);
}

export function given({ input }: Pick<Call, 'input'>, key: string): string | undefined {
  const value = input[key];
  return typeof value === 'string' ? value : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Omits undefined inputs, so that calls compare equal. */
export function call(tool: string, input: Record<string, unknown>): PlannedCall {
  return { name: tool, input: Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) };
}

export function jsonOf({ body }: Pick<Call, 'body'>): Record<string, unknown> {
  const value: unknown = parsePartialJson(body);
  return isRecord(value) ? value : {};
}

export function rowsOf(result: Record<string, unknown>, key: string): Record<string, unknown>[] {
  const value: unknown = result[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(result: Record<string, unknown>, key: string): string {
  const value = result[key];
  return typeof value === 'string' ? value : '';
}
