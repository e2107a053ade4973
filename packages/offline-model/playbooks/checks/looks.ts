/** What is to be looked at for an instruction, and the calls that show it. */
import type { PlannedCall } from '../../decide.ts';
import { isRecord } from '../conversation/calls.ts';
import { call } from '../investigation/gather.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { isLive, type ListedSource } from '../investigation/sources.ts';
import { chooseMetrics } from '../monitoring/drafting/metric-choice.ts';
import { metricsOf, sourceWith, telemetryOf, type Telemetry } from '../monitoring/drafting/telemetry.ts';
import { aspectsIn, statisticOf } from '../monitoring/reading/aspects.ts';
import { logsIn } from '../monitoring/reading/logs.ts';
import { hideQuotes, plain, quotesIn } from '../monitoring/reading/quotes.ts';
import { servicesIn } from '../monitoring/reading/services.ts';
import { takeLimit, type SaidLimit } from '../monitoring/reading/thresholds.ts';
import type { Subject } from '../monitoring/reading/wish.ts';
import type { Opening } from './opening.ts';

export interface Looks {
  telemetry: Telemetry;
  /** Empty: all. */
  services: string[];
  unknown: string[];
  metrics: Extract<Subject, { kind: 'metric' }>[];
  logs: { pattern?: string; level?: string }[];
  changes: boolean;
  limit: SaidLimit;
  /** The period in question; empty where the source decides. */
  window: { from?: string; to?: string };
}

const CHANGES = /\b(?:deploy\w*|releases?|rollouts?|roll-outs?|chang(?:es?|ed)|config\w*|flags?)\b/iu;
const YESTERDAY = /\b(?:yesterday\w*|last night|last (?:24 hours|day)|overnight|today|daily)\b/iu;
const WEEK = /\b(?:last|this|past) week\b/iu;
const MOST_SERVICES = 4;
const MOST_ASPECTS = 3;
const HOUR_MS = 3_600_000;
const MOST_METRICS = 60;

/** @returns what the instruction is about; logs and metrics of whatever there is where it says nothing */
export function looksOf(file: CaseFile, { instruction, now }: Opening): Looks {
  const telemetry = telemetryOf(file, instruction);
  const hidden = hideQuotes(plain(instruction), () => false);
  const named = servicesIn(hidden.text, telemetry.services);
  const limit = takeLimit({ text: hidden.text });
  const statistic = statisticOf(hidden.text);
  const logs = logsIn(hidden.text, quotesIn(hidden.text, hidden));
  const aspects = logs ? [] : aspectsIn(hidden.text).slice(0, MOST_ASPECTS);
  return {
    telemetry,
    services: named.names.slice(0, MOST_SERVICES),
    unknown: named.unknown,
    metrics: aspects.map(({ aspect }) => ({ kind: 'metric', aspect, ...(statistic && { statistic }), limit })),
    logs: logs
      ? logs.subjects.map(({ pattern, level }) => ({
          ...(pattern !== undefined && { pattern }),
          ...(level !== undefined && { level }),
        }))
      : aspects.length === 0
        ? [{ level: 'error' }]
        : [],
    changes: CHANGES.test(hidden.text),
    limit,
    window: windowOf(telemetry, hidden.text, now),
  };
}

/** The next calls; none when everything was asked. */
export function nextLooks(file: CaseFile, looks: Looks, can: (tool: string) => boolean): PlannedCall[] {
  const { telemetry, services, window } = looks;
  const listing = telemetry.asked.map(({ id }) => call('list_services', { source: id }));
  const pending = (calls: PlannedCall[]): PlannedCall[] => calls.filter((one) => can(one.name) && !wasAsked(file, one));
  const unlisted = pending(listing);
  if (unlisted.length > 0) return unlisted;
  // Of a name that nobody knows nothing can be seen; what all services do says nothing of it.
  if (services.length === 0 && looks.unknown.length > 0) return [];
  const whom = services.length > 0 ? services : [undefined];
  const searches = pending(
    looks.metrics.length === 0
      ? []
      : whom.flatMap((service) =>
          of(telemetry, 'metrics', service, ({ id }) =>
            call('search_metrics', { source: id, service, limit: MOST_METRICS }),
          ),
        ),
  );
  if (searches.length > 0) return searches;
  const readings = looks.metrics.flatMap((subject) =>
    whom.flatMap((service) =>
      of(telemetry, 'metrics', service, (source) => {
        const found = metricsOf(file, source.id, service);
        const [choice] = found ? chooseMetrics(subject, found.result, service, source.kind) : [];
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

function wasAsked({ transcript }: CaseFile, planned: PlannedCall): boolean {
  return transcript.calls.some(({ tool, input }) => tool === planned.name && sameInput(input, planned.input));
}

function sameInput(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return a === b;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
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
