/** What is to be looked at for an instruction, and the calls that show it. */
import type { PlannedCall } from '../../decide.ts';
import { wasMade } from '../calls.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { isLive, type ListedSource } from '../investigation/sources.ts';
import {
  limitIn,
  metricFor,
  quotedIn,
  servicesIn,
  signalsIn,
  statisticIn,
  unknownServiceIn,
  type Limit,
  type Signal,
} from '../reading.ts';
import { metricsOf, sourceWith, telemetryOf, type Telemetry } from '../telemetry.ts';
import type { Opening } from './opening.ts';

export interface Looks {
  telemetry: Telemetry;
  /** Empty: all. */
  services: string[];
  /** What the instruction names and nobody knows. */
  unknown?: string;
  signals: Signal[];
  statistic?: string;
  logs: { pattern?: string; level?: string }[];
  changes: boolean;
  limit?: Limit;
  /** The period in question; empty where the source decides. */
  window: { from?: string; to?: string };
}

const CHANGES = /\b(?:deploy\w*|releases?|rollouts?|roll-outs?|chang(?:es?|ed)|config\w*|flags?)\b/iu;
const LOGS = /\blogs?\b|\bexceptions?\b|\bstack ?traces?\b|\berror (?:lines?|messages?)\b/iu;
const YESTERDAY = /\b(?:yesterday\w*|last night|last (?:24 hours|day)|overnight|today|daily)\b/iu;
const WEEK = /\b(?:last|this|past) week\b/iu;
const MAX_SERVICES = 4;
const MAX_SIGNALS = 3;
const HOUR_MS = 3_600_000;
const MAX_METRICS = 60;

/** @returns what the instruction is about; the errors in the logs where it names nothing that can be measured */
export function looksOf(file: CaseFile, { instruction, now }: Opening): Looks {
  const telemetry = telemetryOf(file, instruction);
  const quoted = quotedIn(instruction);
  const plain = instruction.replaceAll(/["“`][^"”`\n]*["”`]/gu, ' ');
  const services = servicesIn(plain, telemetry.services).slice(0, MAX_SERVICES);
  const unknown = services.length === 0 ? unknownServiceIn(plain) : undefined;
  const limit = limitIn(plain);
  const statistic = statisticIn(plain);
  const isLogs = LOGS.test(plain) || quoted.length > 0;
  const signals = isLogs ? [] : signalsIn(plain).slice(0, MAX_SIGNALS);
  const [pattern] = quoted;
  const level = /\bwarn/iu.test(plain) ? 'warn' : 'error';
  return {
    telemetry,
    services,
    ...(unknown !== undefined && { unknown }),
    signals,
    ...(statistic !== undefined && { statistic }),
    logs: signals.length > 0 ? [] : [pattern === undefined ? { level } : { pattern }],
    changes: CHANGES.test(plain),
    ...(limit && { limit }),
    window: windowOf(telemetry, plain, now),
  };
}

/** The next calls; none when everything was asked. */
export function nextLooks(file: CaseFile, looks: Looks, can: (tool: string) => boolean): PlannedCall[] {
  const { telemetry, services, window } = looks;
  const listing = telemetry.asked.map(({ id }) => call('list_services', { source: id }));
  const pending = (calls: PlannedCall[]): PlannedCall[] => calls.filter((one) => can(one.name) && !wasMade(file, one));
  const unlisted = pending(listing);
  if (unlisted.length > 0) return unlisted;
  // Nothing can be seen of a service that nobody knows, and what all services do says nothing about it.
  if (services.length === 0 && looks.unknown !== undefined) return [];
  const whom = services.length > 0 ? services : [undefined];
  const searches = pending(
    looks.signals.length === 0
      ? []
      : whom.flatMap((service) =>
          of(telemetry, 'metrics', service, ({ id }) =>
            call('search_metrics', { source: id, service, limit: MAX_METRICS }),
          ),
        ),
  );
  if (searches.length > 0) return searches;
  const readings = looks.signals.flatMap((signal) =>
    whom.flatMap((service) =>
      of(telemetry, 'metrics', service, (source) => {
        const metrics = metricsOf(file, source.id, service);
        const choice = metrics && metricFor(signal, metrics, source.kind, looks.statistic);
        return (
          choice &&
          call('query_metric', {
            source: source.id,
            metric: choice.metric,
            service,
            statistic: choice.statistic,
            ...window,
          })
        );
      }),
    ),
  );
  const lines = looks.logs.flatMap(({ pattern, level }) =>
    whom.flatMap((service) =>
      of(telemetry, 'logs', service, ({ id }) =>
        call('search_logs', { source: id, service, text: pattern, level, ...window, limit: 10 }),
      ),
    ),
  );
  const changes = looks.changes
    ? whom.flatMap((service) =>
        of(telemetry, 'changes', service, ({ id }) =>
          call('recent_changes', { source: id, service, ...window, limit: 30 }),
        ),
      )
    : [];
  return pending([...readings, ...lines, ...changes]);
}

function of(
  telemetry: Telemetry,
  part: 'metrics' | 'logs' | 'changes',
  service: string | undefined,
  make: (source: ListedSource) => PlannedCall | undefined,
): PlannedCall[] {
  const source = part === 'changes' ? telemetry.choice?.changes : sourceWith(telemetry, part, service);
  const made = source && make(source);
  return made ? [made] : [];
}

/** The last hour, day or week of a live system; recordings decide themselves. */
function windowOf({ choice }: Telemetry, text: string, now: string | undefined): Looks['window'] {
  const end = Date.parse(now ?? '');
  if (!choice || !isLive(choice.primary) || Number.isNaN(end)) return {};
  const hours = WEEK.test(text) ? 7 * 24 : YESTERDAY.test(text) ? 24 : 1;
  return { from: iso(end - hours * HOUR_MS), to: iso(end) };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
