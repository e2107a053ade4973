/** What a check comes to, from what was seen: numbers and lines decide, and every finding quotes what it rests on. */
import type { InstructionResult } from '../../../../src/features/monitoring-agents/instruction/result.ts';
import type { CaseFile, Found } from '../investigation/case-file.ts';
import type { QueryMetricResult } from '../../../../src/features/tools/results.ts';
import { members } from '../investigation/citations.ts';
import { clip } from '../investigation/statements.ts';
import { given } from '../calls.ts';
import { listed, measured } from '../conversation/wording.ts';
import { inUnit, type Limit } from '../reading.ts';
import type { Looks } from './looks.ts';
import type { Opening } from './opening.ts';

type Observation = InstructionResult['observations'][number];

/** So many usual spreads away is unusual. */
const UNUSUAL = 6;
const FEWEST_NEW_LINES = 5;
const MAX_OBSERVATIONS = 30;
const MAX_SERVICES_NAMED = 3;

export function resultOf(file: CaseFile, looks: Looks, opening: Opening): InstructionResult {
  const observations = [
    ...file.readings.flatMap((found) => ofMetric(found, looks)),
    ...file.logs.flatMap((found) => ofLogs(found, looks)),
    ...ofAlerts(file, looks),
    ...file.changes.flatMap((found) => ofChanges(found)),
  ];
  const unique = [...new Map(observations.map((one) => [one.subject, one])).values()];
  const missing = unseen(file, looks, opening);
  const seen = file.readings.length + file.logs.length + file.changes.length;
  if (seen === 0) {
    return { status: 'failed', summary: short(`I could not look at it: ${missing}`), observations: [] };
  }
  const ordered = unique.toSorted((a, b) => Number(b.is_finding) - Number(a.is_finding)).slice(0, MAX_OBSERVATIONS);
  const findings = ordered.filter((one) => one.is_finding);
  const beside = missing === '' ? '' : ` Not looked at: ${missing}`;
  if (findings.length > 0) {
    return {
      status: 'finding',
      summary: short(
        `${findings[0]?.text ?? ''}${findings.length > 1 ? ` And ${findings.length - 1} more.` : ''}${beside}`,
      ),
      observations: ordered,
    };
  }
  // Without what was asked for nobody can say that all is well.
  if (missing !== '' && looks.unknown !== undefined)
    return { status: 'failed', summary: short(`I could not look at all of it: ${missing}`), observations: ordered };
  const what = [
    ...(file.readings.length > 0
      ? [`${file.readings.length} ${file.readings.length === 1 ? 'metric' : 'metrics'}`]
      : []),
    ...(file.logs.length > 0 ? ['logs'] : []),
    ...(file.changes.length > 0 ? ['changes'] : []),
  ];
  return {
    status: 'ok',
    summary: short(`I looked at ${listed(what)}: nothing unusual.${beside}`),
    observations: ordered,
  };
}

function ofMetric({ call, result }: Found<QueryMetricResult>, looks: Looks): Observation[] {
  const { limit: named } = looks;
  return result.series.flatMap((series): Observation[] => {
    const { anomaly, service, unit, statistic } = series;
    const subject = clip(`${service || 'all'} ${result.metric}${statistic ? ` ${statistic}` : ''}`, 200);
    const known = series.points.filter((point): point is [string, number] => point[1] !== null);
    const last = known.at(-1);
    if (!last) return [];
    const limit = named && inUnit(named.value, named.unit, unit);
    const beyond = named && limit !== undefined ? known.find(([, value]) => isBeyond(value, named, limit)) : undefined;
    const isUnusual =
      !named && Math.abs(anomaly.score) >= UNUSUAL && (anomaly.direction === 'either' || anomaly.score > 0);
    const excerpt = beyond ? JSON.stringify(beyond) : members(anomaly, 'score', 'baseline_median');
    const cited = evidenceFor(call, excerpt);
    const isFinding = (beyond !== undefined || isUnusual) && cited !== undefined;
    const usual = anomaly.baseline_median === null ? '' : `; usual is ${measured(anomaly.baseline_median, unit)}`;
    const text = beyond
      ? `${subject} was ${measured(beyond[1], unit)} at ${beyond[0]}, the limit is ${limit ?? ''}${usual}.`
      : isUnusual
        ? `${subject} is at ${measured(anomaly.incident_value ?? last[1], unit)}${usual}, ${Math.abs(anomaly.score).toPrecision(3)} usual spreads away.`
        : `${subject} is at ${measured(last[1], unit)}${usual}.`;
    return [
      {
        subject,
        text: clip(text, 1_000),
        is_finding: isFinding,
        ...serviceOf(service),
        ...(cited ?? { evidence: [], excerpts: [] }),
      },
    ];
  });
}

function ofLogs({ call, result }: CaseFile['logs'][number], looks: Looks): Observation[] {
  const text = given(call, 'text');
  const service = given(call, 'service');
  const whose = service ?? 'all services';
  if (result.matched === 0) {
    return [
      {
        subject: clip(`${whose} logs ${text ?? given(call, 'level') ?? ''}`.trim(), 200),
        text: `No such line of ${whose}.`,
        is_finding: false,
        ...serviceOf(service ?? ''),
        evidence: [],
        excerpts: [],
      },
    ];
  }
  const middle = (Date.parse(result.window.from) + Date.parse(result.window.to)) / 2;
  return result.patterns.slice(0, 8).map((pattern): Observation => {
    const least = looks.limit?.value;
    // What was looked for by its text is found when it is there; other lines when they have begun lately.
    const isNew = Date.parse(pattern.first) > middle && pattern.count >= FEWEST_NEW_LINES;
    const isWanted =
      text !== undefined ? pattern.count >= (least ?? 1) : least === undefined ? isNew : result.matched >= least;
    const cited =
      evidenceFor(call, members(pattern, 'pattern', 'count')) ?? evidenceFor(call, members(pattern, 'pattern'));
    const services = service ?? pattern.services.slice(0, MAX_SERVICES_NAMED).join(', ');
    return {
      subject: clip(`${services} logs ${pattern.pattern}`, 200),
      text: clip(`${services} logged ${pattern.count} times since ${pattern.first}: ${pattern.pattern}`, 1_000),
      is_finding: isWanted && cited !== undefined,
      ...serviceOf(service ?? pattern.services[0] ?? ''),
      ...(cited ?? { evidence: [], excerpts: [] }),
    };
  });
}

/** Alerts that fire now in the sources that were looked at. */
function ofAlerts({ sources }: CaseFile, { telemetry, services, signals }: Looks): Observation[] {
  const chosen = telemetry.choice?.primary;
  if (!sources || !chosen || chosen.kind === 'recorded-incident' || signals.length > 0) return [];
  return chosen.alerts
    .filter(({ service }) => services.length === 0 || services.includes(service))
    .flatMap((alert): Observation[] => {
      const cited =
        evidenceFor(sources.call, members(alert, 'name', 'service')) ??
        evidenceFor(sources.call, members(alert, 'summary'));
      return cited
        ? [
            {
              subject: clip(`alert ${alert.name} ${alert.service}`, 200),
              text: clip(`${alert.name} of ${alert.service}: ${alert.summary}`, 1_000),
              is_finding: true,
              ...serviceOf(alert.service),
              ...cited,
            },
          ]
        : [];
    });
}

/** A change is told and is no finding: only what comes of it is. */
function ofChanges({ call, result }: CaseFile['changes'][number]): Observation[] {
  return result.changes.slice(0, 8).map((change) => ({
    subject: clip(`change ${change.id}`, 200),
    text: clip(
      `${change.kind}${change.service ? ` of ${change.service}` : ''} at ${change.at}: ${change.summary}`,
      1_000,
    ),
    is_finding: false,
    ...serviceOf(change.service ?? ''),
    ...(evidenceFor(call, members(change, 'summary')) ?? { evidence: [], excerpts: [] }),
  }));
}

/** What of the instruction was not looked at, in words; empty when all was. */
function unseen(file: CaseFile, looks: Looks, { instruction }: Opening): string {
  const failed = [...new Set(file.failures.map(({ tool }) => tool))];
  const parts = [
    ...(looks.telemetry.choice ? [] : ['no telemetry source can be read']),
    ...(looks.unknown === undefined ? [] : [`no service is called ${clip(looks.unknown, 60)}`]),
    ...(looks.signals.length > 0 && file.readings.length === 0
      ? [`there is no metric of the ${listed(looks.signals.map(({ title }) => title))}`]
      : []),
    ...(looks.changes && file.changes.length === 0 ? ['no source knows changes'] : []),
    ...(failed.length > 0 ? [`${listed(failed)} gave no answer`] : []),
    ...(instruction === '' ? ['there is no instruction'] : []),
  ];
  return parts.length > 0 ? `${parts.join('; ')}.` : '';
}

function isBeyond(value: number, { operator }: Limit, limit: number): boolean {
  if (value === limit) return operator.endsWith('=');
  return operator.startsWith('>') ? value > limit : value < limit;
}

/** Only where the excerpt stands in what was shown, character by character. */
function evidenceFor(
  call: { evidence?: number | undefined; body: string },
  excerpt: string,
): Pick<Observation, 'evidence' | 'excerpts'> | undefined {
  if (call.evidence === undefined || excerpt === '' || excerpt.length > 2_000 || !call.body.includes(excerpt))
    return undefined;
  return { evidence: [call.evidence], excerpts: [excerpt] };
}

function serviceOf(service: string): { service?: string } {
  const plain = service.trim().slice(0, 200);
  return plain === '' ? {} : { service: plain };
}

function short(text: string): string {
  return clip(text, 500);
}
