/** Concludes a check: numbers and lines decide, and each finding quotes its evidence. */
import { quantity } from '@casebook/wording';
import type { InstructionResult } from '../../../../src/features/monitoring-agents/instruction/submit-check-result.ts';
import type { QueryMetricResult } from '../../../../src/features/tools/results.ts';
import type { Call } from '../../transcript.ts';
import { given } from '../calls.ts';
import type { CaseFile, Found } from '../investigation/case-file.ts';
import { members } from '../investigation/citations.ts';
import { inUnit, type Limit } from '../reading.ts';
import { clip, listed } from '../wording.ts';
import type { Looks } from './looks.ts';

type Observation = InstructionResult['observations'][number];

/** A value at least this many spreads from its usual one is unusual. */
const UNUSUAL = 6;
const MIN_NEW_LINES = 5;
const MAX_OBSERVATIONS = 30;
const MAX_PER_CALL = 8;
const MAX_EXCERPT_CHARACTERS = 2_000;

export function resultOf(file: CaseFile, looks: Looks): InstructionResult {
  const seen = file.readings.length + file.logs.length + file.changes.length;
  const missing = unseen(file, looks);
  if (seen === 0)
    return { status: 'failed', summary: clip(`Nothing could be checked: ${missing}`, 500), observations: [] };
  const all = [
    ...file.readings.flatMap((found) => ofMetric(found, looks)),
    ...file.logs.flatMap((found) => ofLogs(found, looks)),
    ...ofAlerts(file, looks),
    ...file.changes.flatMap(ofChanges),
  ];
  const unique = [...new Map(all.map((one) => [one.subject, one])).values()];
  const observations = unique
    .toSorted((a, b) => Number(b.is_finding) - Number(a.is_finding))
    .slice(0, MAX_OBSERVATIONS);
  const [first, ...others] = observations.filter((one) => one.is_finding);
  const beside = missing === '' ? '' : ` Not checked: ${missing}`;
  if (first) {
    const more = others.length > 0 ? ` And ${others.length} more.` : '';
    return { status: 'finding', summary: clip(`${first.text}${more}${beside}`, 500), observations };
  }
  const count = file.readings.length;
  const what = [
    count > 0 ? `${count} ${count === 1 ? 'metric' : 'metrics'}` : '',
    file.logs.length > 0 ? 'logs' : '',
    file.changes.length > 0 ? 'changes' : '',
  ].filter(Boolean);
  return { status: 'ok', summary: clip(`Checked ${listed(what)}: nothing unusual.${beside}`, 500), observations };
}

function ofMetric({ call, result }: Found<QueryMetricResult>, { limit: named }: Looks): Observation[] {
  return result.series.flatMap(({ anomaly, service, unit, statistic, points }): Observation[] => {
    const subject = `${service || 'all'} ${result.metric}${statistic ? ` ${statistic}` : ''}`;
    const known = points.filter((point): point is [string, number] => point[1] !== null);
    const last = known.at(-1);
    if (!last) return [];
    const limit = named && inUnit(named.value, named.unit, unit);
    const beyond = named && limit !== undefined ? known.find(([, value]) => isBeyond(value, named, limit)) : undefined;
    const score = anomaly.direction === 'either' ? Math.abs(anomaly.score) : anomaly.score;
    const isUnusual = !named && score >= UNUSUAL;
    const usual = anomaly.baseline_median === null ? '' : `; baseline ${quantity(anomaly.baseline_median, unit)}`;
    const text = beyond
      ? `${subject} was ${quantity(beyond[1], unit)} at ${beyond[0]}, limit ${quantity(limit, unit)}${usual}.`
      : isUnusual
        ? `${subject} is ${quantity(anomaly.incident_value ?? last[1], unit)}, outside its normal range${usual}.`
        : `${subject} is ${quantity(last[1], unit)}${usual}.`;
    const excerpt = beyond ? JSON.stringify(beyond) : members(anomaly, 'score', 'baseline_median');
    return [observation(call, { subject, text, service, isFinding: beyond !== undefined || isUnusual }, excerpt)];
  });
}

function ofLogs({ call, result }: CaseFile['logs'][number], { limit }: Looks): Observation[] {
  const searched = given(call, 'text');
  const service = given(call, 'service');
  if (result.matched === 0) {
    const whose = service ?? 'all services';
    const subject = `${whose} logs ${searched ?? given(call, 'level') ?? ''}`.trim();
    return [observation(call, { subject, text: `No such line in the logs of ${whose}.`, service, isFinding: false })];
  }
  const middle = (Date.parse(result.window.from) + Date.parse(result.window.to)) / 2;
  return result.patterns.slice(0, MAX_PER_CALL).map((pattern) => {
    const { count, first, services } = pattern;
    // A searched text is a finding wherever it occurs; other lines are one if they began lately.
    const isNew = Date.parse(first) > middle && count >= MIN_NEW_LINES;
    const isMatched = (searched === undefined ? result.matched : count) >= (limit?.value ?? 1);
    const whose = service ?? services.slice(0, 3).join(', ');
    return observation(
      call,
      {
        subject: `${whose} logs ${pattern.pattern}`,
        text: `${whose} logged ${count} times since ${first}: ${pattern.pattern}`,
        service: service ?? services[0],
        isFinding: searched === undefined && limit === undefined ? isNew : isMatched,
      },
      members(pattern, 'pattern', 'count'),
      members(pattern, 'pattern'),
    );
  });
}

/** Alerts that are firing in the live source. */
function ofAlerts({ sources }: CaseFile, { telemetry, services, signals }: Looks): Observation[] {
  const chosen = telemetry.choice?.primary;
  if (!sources || !chosen || chosen.kind === 'recorded-incident' || signals.length > 0) return [];
  return chosen.alerts
    .filter(({ service }) => services.length === 0 || services.includes(service))
    .map((alert) =>
      observation(
        sources.call,
        {
          subject: `alert ${alert.name} ${alert.service}`,
          text: `${alert.name} of ${alert.service}: ${alert.summary}`,
          service: alert.service,
          isFinding: true,
        },
        members(alert, 'name', 'service'),
        members(alert, 'summary'),
      ),
    );
}

/** A change is never a finding: only its consequences are. */
function ofChanges({ call, result }: CaseFile['changes'][number]): Observation[] {
  return result.changes.slice(0, MAX_PER_CALL).map((change) => {
    const of = change.service ? ` of ${change.service}` : '';
    const text = `${change.kind}${of} at ${change.at}: ${change.summary}`;
    const { service } = change;
    return observation(
      call,
      { subject: `change ${change.id}`, text, service, isFinding: false },
      members(change, 'summary'),
    );
  });
}

/** Without an excerpt that occurs in the result, it is no finding. */
function observation(
  { evidence, body }: Call,
  { subject, text, service = '', isFinding }: { subject: string; text: string; service?: string; isFinding: boolean },
  ...excerpts: string[]
): Observation {
  const excerpt = excerpts.find((one) => one !== '' && one.length <= MAX_EXCERPT_CHARACTERS && body.includes(one));
  const isCited = evidence !== undefined && excerpt !== undefined;
  const name = service.trim().slice(0, 200);
  return {
    subject: clip(subject, 200),
    text: clip(text, 1_000),
    is_finding: isFinding && isCited,
    ...(name !== '' && { service: name }),
    evidence: isCited ? [evidence] : [],
    excerpts: isCited ? [excerpt] : [],
  };
}

function unseen(file: CaseFile, { telemetry, unknown, signals, isAboutChanges }: Looks): string {
  const failed = [...new Set(file.failures.map(({ tool }) => tool))];
  const parts = [
    telemetry.choice ? '' : 'no telemetry source can be read',
    unknown === undefined ? '' : `no service is called ${clip(unknown, 60)}`,
    signals.length > 0 && file.readings.length === 0
      ? `no metric for the ${listed(signals.map(({ title }) => title))}`
      : '',
    isAboutChanges && file.changes.length === 0 ? 'no source lists changes' : '',
    failed.length > 0 ? `${listed(failed)} failed` : '',
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join('; ')}.` : '';
}

function isBeyond(value: number, { operator }: Limit, limit: number): boolean {
  if (value === limit) return operator.endsWith('=');
  return operator.startsWith('>') ? value > limit : value < limit;
}
