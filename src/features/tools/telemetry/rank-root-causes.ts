import { z } from 'zod';
import { rankRootCauses as rank, type RankedCause, type RankingInput } from '../../diagnosis/index.ts';
import { SourceError, type SourceDescription, type TimeWindow } from '../../sources/port.ts';
import type { RankRootCausesResult } from '../results.ts';
import { significant } from '../text.ts';
import { toIso, toIsoWindow } from '../time.ts';
import { gatherRankingInput } from './ranking-input.ts';
import { known, presentAnomaly } from './series.ts';
import { baselineFields, limitField, serviceField, sourceField, timeField, defineSourceTool } from './source-tool.ts';
import { alertFor, resolveBaseline, resolveWindow } from './window.ts';

const HOUR = 60 * 60;
const MAX_NOTES = 10;

const input = z.strictObject({
  source: sourceField,
  service: serviceField
    .optional()
    .describe("The alerting service: the one whose symptom is to be explained. Default: that of the source's alert."),
  metric: z.string().trim().min(1).max(300).optional().describe('The alerting metric. Default: that of the alert.'),
  at: timeField
    .optional()
    .describe(
      'When the symptom was observed, ISO 8601 or unix seconds; some minutes of error do no harm. Default: the time of the alert.',
    ),
  from: timeField
    .optional()
    .describe('Start of the incident to explain. Default: found from the data around the alert.'),
  to: timeField.optional().describe('End of the incident to explain (exclusive).'),
  ...baselineFields,
  limit: limitField(10, 30, 'causes'),
});
type Input = z.infer<typeof input>;

/** `rank_root_causes`: the statistical ranker over all services' metrics and the dependency graph. */
export const rankRootCauses = defineSourceTool({
  name: 'rank_root_causes',
  description:
    'Ranks services by how likely they are the root cause of an alert, from how far its metrics, the own time of its operations, the time of calls to it, its failures and its log lines are from a healthy baseline, and from the dependency graph: a service is blamed only for what its callees do not already show. Reads metrics of the source, and traces and logs wherever they are. Gives the evidence per service, and how often such a first place is right: below 0.5 no cause is established. It is statistics: check the top suspects in logs and changes before you believe it.',
  input,
  timeoutSeconds: 120,
  needs: { capability: 'metrics', method: 'surveyMetrics' },
  summarize: ({ source, service }) => `Rank root causes${service ? ` for ${service}` : ''} in ${source}`,
  async answer(call, source, { clock, signal, sources }) {
    const description = await source.describe({ signal });
    const question = questionOf(call, description, clock.now().getTime() / 1000);
    const { alert, incident, baseline, survey } = question;
    const periods: [TimeWindow, ...TimeWindow[]] = [survey, ...(baseline ? [baseline] : [])];
    const { notes, ...telemetry } = await gatherRankingInput(source, periods, { sources, signal });
    const ranking = rank({ ...telemetry, alert, incident, baseline });
    const result: RankRootCausesResult = {
      source: call.source,
      alert: { ...alert, at: toIso(alert.at) },
      incident: toIsoWindow(ranking.incident),
      baseline: toIsoWindow(ranking.baseline),
      onset: ranking.onset === undefined ? null : toIso(ranking.onset),
      symptom: ranking.symptom ? { ongoing: ranking.symptom.isOngoing, as_of: toIso(ranking.symptom.asOf) } : null,
      considered: ranking.considered,
      // Before the causes: a model may be shown the beginning only.
      confidence: significant(ranking.confidence),
      causes: ranking.causes.slice(0, call.limit).map(present),
      notes: [...notes, ...ranking.notes].slice(0, MAX_NOTES),
    };
    const best = ranking.causes[0];
    const { services, series } = ranking.considered;
    return {
      result,
      digest: best
        ? `Most likely ${best.service}, of ${services} services and ${series} series: ${best.reason}`
        : 'Nothing to rank: no series and no calls in the window',
    };
  },
});

function present(cause: RankedCause, index: number): RankRootCausesResult['causes'][number] {
  const { service, score, ownScore, bestCallee, reason, signals, evidence } = cause;
  return {
    rank: index + 1,
    service,
    score: significant(score),
    own_score: significant(ownScore),
    ...(bestCallee && { best_callee: bestCallee }),
    reason,
    signals: signals.map((signal) => ({
      metric: signal.metric,
      ...(signal.statistic !== undefined && { statistic: signal.statistic }),
      ...(signal.unit !== undefined && { unit: signal.unit }),
      ...presentAnomaly(signal),
    })),
    evidence: evidence.map(({ strength, surprise, before, after, onset, ...rest }) => ({
      ...rest,
      strength: significant(strength),
      ...(surprise !== undefined && { surprise: significant(surprise) }),
      onset: onset === undefined ? null : toIso(onset),
      before: known(before),
      after: known(after),
    })),
  };
}

interface Question extends Pick<RankingInput, 'incident' | 'baseline'> {
  alert: NonNullable<RankingInput['alert']>;
  /** The window the data comes from, besides the baseline. */
  survey: TimeWindow;
}

function questionOf(call: Input, description: SourceDescription, now: number): Question {
  const fired = alertFor(description, call.service);
  const service = call.service ?? fired?.service;
  if (service === undefined) {
    throw new SourceError(`Source "${call.source}" has no alert; give the service whose symptom is to be explained.`);
  }
  const metric = call.metric ?? (fired?.service === service ? fired.metric : undefined);
  const isOpen = call.from === undefined && call.to === undefined;
  const at = call.at ?? (isOpen ? fired?.at : undefined);
  // Without an alert time, the window is all there is to go by.
  const incident = isOpen && at !== undefined ? undefined : resolveWindow(call, description, now);
  const alert = { service, ...(metric !== undefined && { metric }), at: at ?? incident?.from ?? now };
  const around = incident ?? { from: alert.at - HOUR, to: alert.at + HOUR };
  const survey = within(
    description.window,
    { from: around.from - Math.max(HOUR, around.to - around.from), to: around.to },
    now,
  );
  const isGiven = call.baseline_from !== undefined || call.baseline_to !== undefined;
  const baseline = isGiven ? resolveBaseline(call, around, description) : description.baseline;
  return { alert, survey, ...(incident && { incident }), ...(baseline && { baseline }) };
}

/** The part of a window that the source covers. */
function within(covered: TimeWindow | undefined, period: TimeWindow, now: number): TimeWindow {
  const from = Math.max(period.from, covered?.from ?? -Infinity);
  const to = Math.min(period.to, covered?.to ?? now);
  if (to > from) return { from, to };
  const covers = covered ? `${toIso(covered.from)} to ${toIso(covered.to)}` : `until ${toIso(now)}`;
  throw new SourceError(`There is no data around ${toIso(period.to)}: the source covers ${covers}.`);
}
