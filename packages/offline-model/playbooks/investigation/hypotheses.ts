/** What else might have been the cause, and what the evidence says about it. */
import type { Hypothesis } from '../../../../src/features/investigations/report/schema.ts';
import type { CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import { findingsOf, type Conclusion, type RankedCause } from './conclusion.ts';
import { changeSentence, findingSentence, rankSentence, signalSentence } from './statements.ts';
import { judgeChanges, judgeService, rivalsOf, type ChangeVerdict, type ServiceVerdict } from './verdicts.ts';
import { name, verbatim } from '../wording.ts';

export function hypotheses(
  file: CaseFile,
  conclusion: Conclusion,
  named: string[],
  citations: Citations,
): Hypothesis[] {
  const { cause, steps } = conclusion;
  if (!file.ranking || !cause) return leads(file, named, citations);
  const supported: Hypothesis = {
    statement: `${name(cause.service)} is at fault.`,
    verdict: 'supported',
    reasoning: [
      rankSentence(file.ranking, citations, cause),
      ...steps.map((step) =>
        step.rule === 'blame'
          ? `It is preferred to ${name(step.from)} because that service's own logs blame it: ${findingSentence(citations, step.speaker, step.finding)}`
          : `It is preferred to ${name(step.from)}, whose score is nearly the same, because a resource of its own gave out: ${findingSentence(citations, step.speaker, step.finding)}`,
      ),
    ].join(' '),
  };
  const others = rivalsOf(file, cause, named).map((rival) =>
    judged(file, judgeService(file, conclusion, cause, rival), cause, citations),
  );
  const changes = judgeChanges(file, conclusion).map((verdict) => innocentChange(file, conclusion, verdict, citations));
  return [supported, ...others, ...changes];
}

function judged(file: CaseFile, verdict: ServiceVerdict, cause: RankedCause, citations: Citations): Hypothesis {
  const { rival } = verdict;
  const { service } = rival;
  const statement = `${name(service)} is at fault.`;
  const [signal] = rival.signals;
  const figures = signal && rival.own_score > 0 ? `${signalSentence(file, citations, service, signal)} ` : '';
  if (verdict.kind === 'victim') {
    const { path } = verdict;
    const [caller = '', callee = ''] = path;
    const edge =
      file.dependencies && citations.cite(file.dependencies.call, members({ caller, callee }, 'caller', 'callee'));
    const why = `It is a victim: it depends on ${name(cause.service)} (${path.map(name).join(' → ')})${edge ?? ''}, which shows a disturbance of its own.`;
    return { statement, verdict: 'ruled_out', reasoning: figures + why };
  }
  const rank = file.ranking ? rankSentence(file.ranking, citations, rival) : '';
  if (verdict.kind === 'weaker') {
    return {
      statement,
      verdict: 'ruled_out',
      reasoning: `${figures}${rank} Its evidence (${verbatim(rival.own_score)}) is less than half of that of ${name(cause.service)} (${verbatim(cause.own_score)})${citeScores(file, citations, rival)}.`,
    };
  }
  return {
    statement,
    verdict: 'open',
    reasoning: `${figures}${rank} It is disturbed too, and nothing found shows that ${name(cause.service)} is the reason${citeScores(file, citations, rival)}.`,
  };
}

function citeScores(file: CaseFile, citations: Citations, cause: RankedCause): string {
  return citations.cite(file.ranking?.call, members(cause, 'service', 'score', 'own_score'));
}

/** Changes near the onset that did not cause it, so that nobody rolls back an innocent deploy. */
function innocentChange(
  file: CaseFile,
  { cause, onset }: Conclusion,
  verdict: ChangeVerdict,
  citations: Citations,
): Hypothesis {
  const { near, ranked } = verdict;
  const { change } = near;
  const fact = changeSentence(citations, near);
  const cited = citations.cite(file.ranking?.call, file.ranking ? members(file.ranking.result, 'onset') : '');
  const why = reason();
  function reason(): string {
    switch (verdict.kind) {
      case 'later':
        return `It came after the onset${onset ? ` at ${onset}` : ''}${cited}.`;
      case 'quiet':
        return `It came near the onset, but the metrics of ${name(change.service ?? '')} show no harmful change${ranked ? citeScores(file, citations, ranked) : cited}.`;
      case 'weaker':
        return `It came near the onset, but the evidence of ${name(verdict.ranked.service)} (${verbatim(verdict.ranked.own_score)}) is less than half of that of ${name(cause?.service ?? '')} (${verbatim(cause?.own_score ?? null)})${citeScores(file, citations, verdict.ranked)}.`;
      case 'upstream':
        return `${verdict.path.map(name).join(' → ')} is the way of the calls, so it could disturb ${name(cause?.service ?? '')} only with more of them, and its traffic shows no such rise${cited}.`;
      default:
        return `It came near the onset${onset ? ` at ${onset}` : ''}, and what was read does not exclude it${cited}.`;
    }
  }
  return {
    statement: `The change ${name(change.id)}${change.service ? ` of ${name(change.service)}` : ''} caused the incident.`,
    verdict: verdict.kind === 'open' ? 'open' : 'ruled_out',
    reasoning: `${fact} ${why}`,
  };
}

/** Without a cause there are still leads: what the logs of examined services say, and what people asked about. */
function leads(file: CaseFile, named: string[], citations: Citations): Hypothesis[] {
  const read = file.logs.map(({ call }) => String(call.input['service']));
  return [...new Set([...read, ...named])].slice(0, 20).flatMap((service): Hypothesis[] => {
    const [finding] = findingsOf(file, service).filter(({ kind }) => kind === 'resource' || kind === 'blames');
    const ranked = file.ranking?.result.causes.find((cause) => cause.service === service);
    const quiet = ranked
      ? `Its metrics show no clear harmful change (evidence ${verbatim(ranked.own_score)})${citeScores(file, citations, ranked)}.`
      : '';
    const reasoning = [finding ? findingSentence(citations, service, finding) : '', quiet].filter(Boolean).join(' ');
    return reasoning ? [{ statement: `${name(service)} is at fault.`, verdict: 'open', reasoning }] : [];
  });
}
