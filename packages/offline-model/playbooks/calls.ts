import { isDeepStrictEqual } from 'node:util';
import type { PlannedCall } from '../decide.ts';
import type { Call } from '../transcript.ts';
import type { CaseFile } from './investigation/case-file.ts';
import { parsePartialJson } from './investigation/partial-json.ts';

/** The order of members does not matter, since stores do not keep it. */
export function isSame(call: Call, planned: PlannedCall): boolean {
  return call.tool === planned.name && isDeepStrictEqual(call.input, { ...planned.input });
}

export function wasMade({ transcript }: CaseFile, planned: PlannedCall): boolean {
  return transcript.calls.some((call) => isSame(call, planned));
}

export function callsOf({ transcript }: CaseFile, tool: string): Call[] {
  return transcript.calls.filter((call) => call.tool === tool);
}

export function lastCall(file: CaseFile, tool: string): Call | undefined {
  return callsOf(file, tool).at(-1);
}

export function askedOf(calls: readonly Call[], sources: readonly string[]): Call[] {
  return calls.filter((call) => sources.includes(given(call, 'source') ?? ''));
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

export function jsonOf({ body }: Call): Record<string, unknown> {
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
