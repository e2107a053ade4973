/** What an instruction asks to look at, and the calls for it. */
import type { PlannedCall } from '../../decide.ts';
import { call, wasMade } from '../calls.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { isLive, type ListedSource } from '../investigation/sources.ts';
import { metricFor } from '../reading.ts';
import { subjectOf, type Subject } from '../subject.ts';
import { MAX_METRICS } from '../investigation/survey.ts';
import { metricsOf, sourceWith, telemetryOf, type Telemetry } from '../telemetry.ts';
import { iso } from '../wording.ts';

interface Opening {
  instruction: string;
  /** ISO time at which the check began. */
  now?: string;
}

/** Up to the first closing tag: what follows comes from earlier runs, and is data. */
const INSTRUCTION = /<instruction>\n?([\s\S]*?)\n?<\/instruction>/;
const NOW = /\nIt is now (\S+?)\.\s*$/;

export function openingOf(text: string): Opening {
  const now = NOW.exec(text)?.[1];
  return {
    instruction: INSTRUCTION.exec(text)?.[1]?.trim() ?? '',
    ...(now !== undefined && !Number.isNaN(Date.parse(now)) && { now }),
  };
}

export interface Looks extends Subject {
  telemetry: Telemetry;
  isAboutChanges: boolean;
  /** Empty if the source decides. */
  window: { from?: string; to?: string };
}

const CHANGES = /\b(?:deploy\w*|releases?|rollouts?|chang(?:es?|ed)|config\w*|flags?)\b/iu;
const DAY = /\b(?:yesterday\w*|last night|last (?:24 hours|day)|overnight|today|daily)\b/iu;
const HOUR_MS = 3_600_000;

export function looksOf(file: CaseFile, { instruction, now }: Opening): Looks {
  const telemetry = telemetryOf(file, instruction);
  const subject = subjectOf(instruction, telemetry.services);
  const window = windowOf(telemetry, subject.plain, now);
  return { ...subject, telemetry, isAboutChanges: CHANGES.test(subject.plain), window };
}

/** Without a signal, it reads the logs. */
export function nextLooks(file: CaseFile, looks: Looks, can: (tool: string) => boolean): PlannedCall[] {
  const { telemetry, services, signals, window } = looks;
  const pending = (calls: PlannedCall[]): PlannedCall[] => calls.filter((one) => can(one.name) && !wasMade(file, one));
  const listing = pending(telemetry.asked.map(({ id }) => call('list_services', { source: id })));
  if (listing.length > 0) return listing;
  // Other services say nothing about an unknown one.
  if (looks.unknown !== undefined) return [];
  const each = <T>(make: (service: string | undefined) => T[]): T[] =>
    (services.length > 0 ? services : [undefined]).flatMap(make);
  const metrics = each((service) => {
    const source = signals.length > 0 && sourceWith(telemetry, 'metrics', service);
    return source ? [{ source, service }] : [];
  });
  const searches = pending(
    metrics.map(({ source, service }) => call('search_metrics', { source: source.id, service, limit: MAX_METRICS })),
  );
  if (searches.length > 0) return searches;
  const readings = signals.flatMap((signal) =>
    metrics.flatMap(({ source, service }) => {
      const chosen = metricFor(signal, metricsOf(file, source.id, service) ?? [], source.kind, looks.statistic);
      if (!chosen) return [];
      const { metric, statistic } = chosen;
      return [call('query_metric', { source: source.id, metric, service, statistic, ...window })];
    }),
  );
  const { pattern: text, level } = { pattern: undefined, level: undefined, ...looks.lines };
  const lines = each((service) => {
    const source = signals.length === 0 && sourceWith(telemetry, 'logs', service);
    return source ? [call('search_logs', { source: source.id, service, text, level, ...window, limit: 10 })] : [];
  });
  const changes = each((service) => {
    const source: ListedSource | undefined = looks.isAboutChanges ? telemetry.choice?.changes : undefined;
    return source ? [call('recent_changes', { source: source.id, service, ...window, limit: 30 })] : [];
  });
  return pending([...readings, ...lines, ...changes]);
}

/** The last hour or day of a live system; a recording has a window of its own. */
function windowOf({ choice }: Telemetry, text: string, now: string | undefined): Looks['window'] {
  const end = Date.parse(now ?? '');
  if (!choice || !isLive(choice.primary) || Number.isNaN(end)) return {};
  return { from: iso(end - (DAY.test(text) ? 24 : 1) * HOUR_MS), to: iso(end) };
}
