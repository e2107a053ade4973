/** What else might have been the cause, and what the evidence says about it. */
import type { Hypothesis } from '../../../features/investigations/report/schema.ts';
import type { CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import { anomalousCauses, changesNear, precedes, type Conclusion, type RankedCause } from './conclusion.ts';
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
  if (!file.ranking || !cause) return namedQuietly(file, named, citations);
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
      if (!precedes(change, onset)) {
        return { statement, verdict: 'ruled_out', reasoning: `${fact} It came after the onset at ${onset}${cited}.` };
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
      return {
        statement,
        verdict: 'open',
        reasoning: `${fact} It came near the onset at ${onset}, and what was read does not exclude it${cited}.`,
      };
    });
}

/** Without an anomaly there is still an answer for each service a person asked about. */
function namedQuietly(file: CaseFile, named: string[], citations: Citations): Hypothesis[] {
  return named.flatMap((service): Hypothesis[] => {
    const ranked = file.ranking?.result.causes.find((cause) => cause.service === service);
    if (!ranked) return [];
    const cited = citeScores(file, citations, ranked);
    return [
      {
        statement: `${service} is at fault.`,
        verdict: 'open',
        reasoning: `Its metrics show no clear harmful change (evidence ${figure(ranked.own_score)})${cited}.`,
      },
    ];
  });
}

/** The shortest chain of calls from one service to another, among the observed ones. */
export function pathBetween({ dependencies }: CaseFile, from: string, to: string): string[] | undefined {
  const edges = dependencies?.result.edges ?? [];
  const paths: string[][] = [[from]];
  const seen = new Set([from]);
  for (const path of paths) {
    const last = path.at(-1);
    if (last === to && path.length > 1) return path;
    for (const { caller, callee } of edges) {
      if (caller !== last || seen.has(callee)) continue;
      seen.add(callee);
      paths.push([...path, callee]);
    }
  }
  return undefined;
}
