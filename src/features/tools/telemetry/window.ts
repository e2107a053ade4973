/** Which window a tool looks at if the model leaves it open. */
import {
  SourceError,
  type Alert,
  type SourceDescription,
  type TelemetrySource,
  type TimeWindow,
} from '../../sources/port.ts';
import { toIso } from '../time.ts';
import type { ToolContext } from '../tool.ts';

const MINUTE = 60;
const AROUND_ALERT = 30 * MINUTE;
const RECENT = 60 * MINUTE;
const SHORTEST_BASELINE = 60 * MINUTE;
/** With less than this before the window, its own start is the better reference. */
const TOO_LITTLE_BEFORE = 5 * MINUTE;

interface WindowInput {
  from?: number;
  to?: number;
}

interface BaselineInput {
  baseline_from?: number;
  baseline_to?: number;
}

/**
 * The alert a call is about: one of the named service, otherwise the source's first.
 * @param description the source
 * @param service the service the model named, if any
 */
export function alertFor(description: SourceDescription, service?: string): Alert | undefined {
  return description.alerts.find((alert) => alert.service === service) ?? description.alerts[0];
}

/**
 * The window to look at. An alert may be minutes late, so it takes half an hour on either side; without an alert,
 * everything the source covers; without that, the last hour. Given one end, the other is an hour away.
 * @param now unix seconds
 * @throws {SourceError} if the window would be empty
 */
export function resolveWindow(
  input: WindowInput,
  description: SourceDescription,
  now: number,
  alert = alertFor(description),
): TimeWindow {
  const { from, to } = input;
  let window: TimeWindow;
  if (from !== undefined && to !== undefined) window = { from, to };
  else if (from !== undefined)
    window = { from, to: Math.max(from + 1, Math.min(from + RECENT, latest(description, now))) };
  else if (to !== undefined) window = { from: to - RECENT, to };
  else window = defaultWindow(description, now, alert);
  if (window.to > window.from) return window;
  throw new SourceError(
    `The window is empty: it begins at ${toIso(window.from)} and ends at ${toIso(window.to)}.${coverage(description)}`,
  );
}

/**
 * The window of a call that may name a service, around an alert of that service if the source has one.
 * @throws {SourceError} if the source cannot be described, or the window would be empty
 */
export async function windowOfCall(
  input: WindowInput & { service?: string },
  source: TelemetrySource,
  { clock, signal }: Pick<ToolContext, 'clock' | 'signal'>,
): Promise<{ description: SourceDescription; window: TimeWindow }> {
  const description = await source.describe({ signal });
  const now = clock.now().getTime() / 1000;
  return { description, window: resolveWindow(input, description, now, alertFor(description, input.service)) };
}

/**
 * A healthy period to compare with: what the model gave, what the source states, otherwise the time before the window
 * (as long as the window, at least an hour) that the source covers; if it covers nothing before the window, the first
 * quarter of what it covers of it.
 * @throws {SourceError} if the period would be empty
 */
export function resolveBaseline(input: BaselineInput, window: TimeWindow, description: SourceDescription): TimeWindow {
  const { baseline_from: from, baseline_to: to } = input;
  if (from === undefined && to === undefined && description.baseline) return description.baseline;
  const before = window.from - (description.window?.from ?? -Infinity);
  if (from === undefined && to === undefined && before < TOO_LITTLE_BEFORE) {
    // The window may start before the source does.
    const begin = before < 0 && window.from - before < window.to ? window.from - before : window.from;
    return { from: begin, to: begin + (window.to - begin) / 4 };
  }
  const end = to ?? (from !== undefined && from >= window.from ? from + SHORTEST_BASELINE : window.from);
  const length = Math.max(window.to - window.from, SHORTEST_BASELINE);
  const start = from ?? Math.max(end - length, Math.min(description.window?.from ?? -Infinity, end - MINUTE));
  if (end > start) return { from: start, to: end };
  throw new SourceError(
    `The baseline is empty: it begins at ${toIso(start)} and ends at ${toIso(end)}.${coverage(description)}`,
  );
}

function defaultWindow(description: SourceDescription, now: number, alert: Alert | undefined): TimeWindow {
  if (alert) {
    const first = description.window?.from ?? -Infinity;
    const from = Math.max(alert.at - AROUND_ALERT, Math.min(first, alert.at - MINUTE));
    const to = Math.min(alert.at + AROUND_ALERT, latest(description, now));
    return { from, to: Math.max(to, alert.at + 1) };
  }
  return description.window ?? { from: now - RECENT, to: now };
}

function latest(description: SourceDescription, now: number): number {
  return description.window?.to ?? now;
}

function coverage({ id, window }: SourceDescription): string {
  return window ? ` Source "${id}" covers ${toIso(window.from)} to ${toIso(window.to)}.` : '';
}
