/** Hypotheses: other possible causes, and what the evidence says about them. */
import type { Hypothesis } from '../../../../src/features/investigations/report/schema.ts';
import { pathBetween, type CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import {
  anomalousCauses,
  changesNear,
  findingsOf,
  NOTABLE_SCORE,
  precedes,
  type Conclusion,
  type NearChange,
  type RankedCause,
} from './conclusion.ts';
import { changeSentence, citeEdge, citeScores, findingSentence, rankSentence, signalSentence } from './statements.ts';
import { name, verbatim } from '../wording.ts';

const MAX_SUSPECTS = 4;
const MAX_CHANGES = 6;
const MAX_LEADS = 20;

export function hypotheses(
  file: CaseFile,
  conclusion: Conclusion,
  named: string[],
  citations: Citations,
): Hypothesis[] {
  const { cause, steps, change } = conclusion;
  if (!file.ranking || !cause) return leads(file, named, citations);
  const preferred = steps.map(({ rule, from, speaker, finding }) => {
    const why =
      rule === 'blame'
        ? "because that service's own logs blame it"
        : 'whose score is nearly the same, because a resource of its own gave out';
    return `It is preferred to ${name(from)}${rule === 'blame' ? ' ' : ', '}${why}: ${findingSentence(citations, speaker, finding)}`;
  });
  const reasoning = [rankSentence(file.ranking, citations, cause), ...preferred].join(' ');
  return [
    { statement: `${name(cause.service)} is at fault.`, verdict: 'supported', reasoning },
    ...rivalsOf(file, cause, named).map((rival) => judgeService(file, conclusion, cause, rival, citations)),
    ...changesNear(file)
      .filter((near) => near.change !== change?.change)
      .slice(0, MAX_CHANGES)
      .map((near) => judgeChange(file, conclusion, cause, near, citations)),
  ];
}

function rivalsOf(file: CaseFile, cause: RankedCause, named: string[]): RankedCause[] {
  const suspects = anomalousCauses(file).slice(0, MAX_SUSPECTS);
  const names = [...suspects.map(({ service }) => service), file.ranking?.result.alert.service ?? '', ...named];
  return [...new Set(names)]
    .filter((service) => service !== cause.service)
    .flatMap((service) => rankedAs(file, service) ?? []);
}

function judgeService(
  file: CaseFile,
  { steps }: Conclusion,
  cause: RankedCause,
  rival: RankedCause,
  citations: Citations,
): Hypothesis {
  const statement = `${name(rival.service)} is at fault.`;
  const [signal] = rival.signals;
  const figures = signal && rival.own_score > 0 ? `${signalSentence(file, citations, rival.service, signal)} ` : '';
  const path = pathBetween(file, rival.service, cause.service);
  if (path && (rival.score <= cause.score || steps.length > 0)) {
    const why = `It is a victim: it depends on ${name(cause.service)} (${path.map(name).join(' → ')})${citeEdge(file, citations, path)}, which shows a disturbance of its own.`;
    return { statement, verdict: 'ruled_out', reasoning: figures + why };
  }
  const rank = file.ranking ? rankSentence(file.ranking, citations, rival) : '';
  const isWeaker = rival.own_score < cause.own_score / 2;
  const why = isWeaker
    ? `Its evidence (${verbatim(rival.own_score)}) is less than half that of ${name(cause.service)} (${verbatim(cause.own_score)})`
    : `It is disturbed too, and nothing found shows that ${name(cause.service)} is the reason`;
  const reasoning = `${figures}${rank} ${why}${citeScores(file, citations, rival)}.`;
  return { statement, verdict: isWeaker ? 'ruled_out' : 'open', reasoning };
}

/** Judges changes near the onset, so that nobody rolls back an innocent deploy. */
function judgeChange(
  file: CaseFile,
  { onset }: Conclusion,
  cause: RankedCause,
  near: NearChange,
  citations: Citations,
): Hypothesis {
  const { id, service } = near.change;
  const fact = changeSentence(citations, near);
  const cited = citations.cite(file.ranking?.call, file.ranking ? members(file.ranking.result, 'onset') : '');
  const statement = `The change ${name(id)}${service ? ` of ${name(service)}` : ''} caused the incident.`;
  const ruledOut = (why: string): Hypothesis => ({ statement, verdict: 'ruled_out', reasoning: `${fact} ${why}.` });
  const at = onset ? ` at ${onset}` : '';
  if (!precedes(file, near.change)) return ruledOut(`It came after the onset${at}${cited}`);
  const ranked = service === undefined ? undefined : rankedAs(file, service);
  if (service && service !== cause.service) {
    if (!anomalousCauses(file).some((one) => one.service === service))
      return ruledOut(
        `It came near the onset, but the metrics of ${name(service)} show no harmful change${ranked ? citeScores(file, citations, ranked) : cited}`,
      );
    if (ranked && ranked.own_score < cause.own_score / 2)
      return ruledOut(
        `It came near the onset, but the evidence for ${name(service)} (${verbatim(ranked.own_score)}) is less than half that for ${name(cause.service)} (${verbatim(cause.own_score)})${citeScores(file, citations, ranked)}`,
      );
    const path = pathBetween(file, service, cause.service);
    const isMoreTraffic = cause.signals.some(
      ({ meaning, score }) => meaning === 'traffic' && Math.abs(score) >= NOTABLE_SCORE,
    );
    if (path && !isMoreTraffic)
      return ruledOut(
        `Calls go ${path.map(name).join(' → ')}, so it could disturb ${name(cause.service)} only through more of them, and its traffic shows no such rise${cited}`,
      );
  }
  const why = `It came near the onset${at}, and what was read does not rule it out${cited}.`;
  return { statement, verdict: 'open', reasoning: `${fact} ${why}` };
}

/** Without a cause: what logs say, and what people asked about. */
function leads(file: CaseFile, named: string[], citations: Citations): Hypothesis[] {
  const read = file.logs.map(({ call }) => String(call.input['service']));
  return [...new Set([...read, ...named])].slice(0, MAX_LEADS).flatMap((service): Hypothesis[] => {
    const finding = findingsOf(file, service).find(({ kind }) => kind === 'resource' || kind === 'blames');
    const ranked = rankedAs(file, service);
    const quiet = ranked
      ? `Its metrics show no clear harmful change (evidence ${verbatim(ranked.own_score)})${citeScores(file, citations, ranked)}.`
      : '';
    const reasoning = [finding ? findingSentence(citations, service, finding) : '', quiet].filter(Boolean).join(' ');
    return reasoning ? [{ statement: `${name(service)} is at fault.`, verdict: 'open', reasoning }] : [];
  });
}

function rankedAs({ ranking }: CaseFile, service: string): RankedCause | undefined {
  return ranking?.result.causes.find((cause) => cause.service === service);
}
