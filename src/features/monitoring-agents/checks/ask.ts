/** Which source a check queries, and the message when it cannot answer. */
import { SourceError, type SourceCapability, type SourceCatalog, type TelemetrySource } from '../../sources/port.ts';
import type { TimeWindow } from '../../sources/port.ts';
import { listed } from './figures.ts';

type SourceWith<Method extends keyof TelemetrySource> = TelemetrySource & Required<Pick<TelemetrySource, Method>>;

/** @throws {SourceError} naming suitable sources when this one lacks the capability */
export function sourceWith<Method extends keyof TelemetrySource>(
  sources: SourceCatalog,
  id: string,
  capability: SourceCapability,
  method: Method,
): SourceWith<Method> {
  const can = (source: TelemetrySource): source is SourceWith<Method> =>
    typeof source[method] === 'function' && source.capabilities.includes(capability);
  const source = sources.get(id);
  if (can(source)) return source;
  const others = sources.list().filter(can);
  const instead = others.length > 0 ? `these do: ${listed(others.map((other) => other.id))}` : 'no source does';
  throw new SourceError(`source "${id}" does not offer ${capability}; ${instead}`);
}

/** The message of any thrown value. */
export function reasonOf(error: unknown, source: string): string {
  if (error instanceof SourceError) return error.message;
  const words = error instanceof Error ? error.message || error.name : String(error);
  return `${source} failed: ${words}`;
}

/** `[now - length, now)`. */
export function windowBefore(now: number, length: number): TimeWindow {
  return { from: now - length, to: now };
}

/** Members of a source's answer if it is an object, not an array. */
export function membersOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

/**
 * The list in a source's answer.
 * @throws {SourceError} when it is not a list, or longer than any check reads
 */
export function listOf(answer: unknown, what: string, most: number): unknown[] {
  if (!Array.isArray(answer)) throw new SourceError(`the source returned ${kindOf(answer)} instead of ${what}`);
  if (answer.length > most) {
    throw new SourceError(
      `the source returned ${answer.length} ${what}; a check reads at most ${most}: narrow the check`,
    );
  }
  return answer;
}

const kindOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`);
