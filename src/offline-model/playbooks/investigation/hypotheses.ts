/** What else might have been the cause, and what the evidence says about it. */
import type { Hypothesis } from '../../../features/investigations/report/schema.ts';
import type { CaseFile } from './case-file.ts';
import { pathBetween } from './call-paths.ts';
import { members, type Citations } from './citations.ts';
import {
  anomalousCauses,
  changesNear,
  findingsOf,
  NOTABLE_SCORE,
  precedes,
  type Conclusion,
  type RankedCause,
} from './conclusion.ts';
import { changeSentence, figure, findingSentence, rankSentence, signalSentence } from './statements.ts';

const MOST_SUSPECTS = 4;
const MOST_CHANGES = 6;

export function hypotheses(
  file: CaseFile,
  conclusion: Conclusion,
  named: string[],
  citations: Citations,
): Hypothesis[] {
  const { cause, steps } = conclusion;
  if (!file.ranking || !cause) return leads(file, named, citations);
  const supported: Hypothesis = {
    statement: `${cause.service} is at fault.`,
    verdict: 'supported',
    reasoning: [
      rankSentence(file.ranking, citations, cause),
      ...steps.map((step) =>
        step.rule === 'blame'
          ? `It is preferred to ${step.from} because that service's own logs blame it: ${findingSentence(citations, step.speaker, step.finding)}`
          : `It is preferred to ${step.from}, whose score is nearly the same, because a resource of its own gave out: ${findingSentence(citations, step.speaker, step.finding)}`,
      ),
    ].join(' '),
  };
  const others = rivals(file, cause, named).map((rival) => judge(file, conclusion, cause, rival, citations));
  return [supported, ...others, ...innocentChanges(file, conclusion, citations)];
}

/** Other suspects, the alerting service and whatever a person named, without repeats. */
function rivals(file: CaseFile, cause: RankedCause, named: string[]): RankedCause[] {
  const causes = file.ranking?.result.causes ?? [];
  const alerting = file.ranking?.result.alert.service ?? '';
  const names = [
    ...anomalousCauses(file)
      .slice(0, MOST_SUSPECTS)
      .map(({ service }) => service),
    alerting,
    ...named,
  ];
  return [...new Set(names)]
    .filter((name) => name !== cause.service)
    .flatMap((name) => causes.find(({ service }) => service === name) ?? []);
}

function judge(
  file: CaseFile,
  conclusion: Conclusion,
  cause: RankedCause,
  rival: RankedCause,
  citations: Citations,
): Hypothesis {
  const { service } = rival;
  const statement = `${service} is at fault.`;
  const [signal] = rival.signals;
  const figures = signal && rival.own_score > 0 ? `${signalSentence(file, citations, service, signal)} ` : '';
  const path = pathBetween(file, service, cause.service);
  if (path && !(rival.score > cause.score && conclusion.steps.length === 0)) {
    const [caller = '', callee = ''] = path;
    const edge =
      file.dependencies && citations.cite(file.dependencies.call, members({ caller, callee }, 'caller', 'callee'));
    const why = `It is a victim: it depends on ${cause.service} (${path.join(' → ')})${edge ?? ''}, which shows a disturbance of its own.`;
    return { statement, verdict: 'ruled_out', reasoning: figures + why };
  }
  const rank = file.ranking ? rankSentence(file.ranking, citations, rival) : '';
  if (rival.own_score < cause.own_score / 2) {
    return {
      statement,
      verdict: 'ruled_out',
      reasoning: `${figures}${rank} Its evidence (${figure(rival.own_score)}) is less than half of that of ${cause.service} (${figure(cause.own_score)})${citeScores(file, citations, rival)}.`,
    };
  }
  return {
    statement,
    verdict: 'open',
    reasoning: `${figures}${rank} It is disturbed too, and nothing found shows that ${cause.service} is the reason${citeScores(file, citations, rival)}.`,
  };
}

function citeScores(file: CaseFile, citations: Citations, cause: RankedCause): string {
  return citations.cite(file.ranking?.call, members(cause, 'service', 'score', 'own_score'));
}

/** Changes near the onset that did not cause it, so that nobody rolls back an innocent deploy. */
function innocentChanges(
  file: CaseFile,
  { cause, change: guilty, onset }: Conclusion,
  citations: Citations,
): Hypothesis[] {
  const anomalous = new Map(anomalousCauses(file).map((one) => [one.service, one]));
  return changesNear(file)
    .filter(({ change }) => change !== guilty?.change)
    .slice(0, MOST_CHANGES)
    .map((near) => {
      const { change } = near;
      const statement = `The change ${change.id}${change.service ? ` of ${change.service}` : ''} caused the incident.`;
      const fact = changeSentence(citations, near);
      const cited = citations.cite(file.ranking?.call, file.ranking ? members(file.ranking.result, 'onset') : '');
      if (!precedes(file, change)) {
        return {
          statement,
          verdict: 'ruled_out',
          reasoning: `${fact} It came after the onset${onset ? ` at ${onset}` : ''}${cited}.`,
        };
      }
      if (change.service && change.service !== cause?.service && !anomalous.has(change.service)) {
        const ranked = file.ranking?.result.causes.find(({ service }) => service === change.service);
        const quiet = ranked ? citeScores(file, citations, ranked) : cited;
        return {
          statement,
          verdict: 'ruled_out',
          reasoning: `${fact} It came near the onset, but the metrics of ${change.service} show no harmful change${quiet}.`,
        };
      }
      const ranked = file.ranking?.result.causes.find(({ service }) => service === change.service);
      if (cause && ranked && ranked.service !== cause.service && ranked.own_score < cause.own_score / 2) {
        return {
          statement,
          verdict: 'ruled_out',
          reasoning: `${fact} It came near the onset, but the evidence of ${ranked.service} (${figure(ranked.own_score)}) is less than half of that of ${cause.service} (${figure(cause.own_score)})${citeScores(file, citations, ranked)}.`,
        };
      }
      const path = cause && change.service ? pathBetween(file, change.service, cause.service) : undefined;
      if (
        path &&
        !cause?.signals.some(({ meaning, score }) => meaning === 'traffic' && Math.abs(score) >= NOTABLE_SCORE)
      ) {
        return {
          statement,
          verdict: 'ruled_out',
          reasoning: `${fact} ${path.join(' → ')} is the way of the calls, so it could disturb ${cause?.service} only with more of them, and its traffic shows no such rise${cited}.`,
        };
      }
      return {
        statement,
        verdict: 'open',
        reasoning: `${fact} It came near the onset${onset ? ` at ${onset}` : ''}, and what was read does not exclude it${cited}.`,
      };
    });
}

/** Without a cause there are still leads: what the logs of examined services say, and what people asked about. */
function leads(file: CaseFile, named: string[], citations: Citations): Hypothesis[] {
  const read = file.logs.map(({ call }) => String(call.input['service']));
  return [...new Set([...read, ...named])].slice(0, 20).flatMap((service): Hypothesis[] => {
    const [finding] = findingsOf(file, service).filter(({ kind }) => kind === 'resource' || kind === 'blames');
    const ranked = file.ranking?.result.causes.find((cause) => cause.service === service);
    const quiet = ranked
      ? `Its metrics show no clear harmful change (evidence ${figure(ranked.own_score)})${citeScores(file, citations, ranked)}.`
      : '';
    const reasoning = [finding ? findingSentence(citations, service, finding) : '', quiet].filter(Boolean).join(' ');
    return reasoning ? [{ statement: `${service} is at fault.`, verdict: 'open', reasoning }] : [];
  });
}
