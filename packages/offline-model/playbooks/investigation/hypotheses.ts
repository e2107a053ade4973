/** Hypotheses: other possible causes, and what the evidence says about them. */
import { code } from '@casebook/wording';
import type { Hypothesis } from '../../../../src/features/investigations/report/schema.ts';
import { given } from '../calls.ts';
import { pathBetween, type CaseFile } from './case-file.ts';
import { members, type Citations } from './citations.ts';
import {
  anomalousCauses,
  changesNear,
  findingsOf,
  isDisturbed,
  onsetOf,
  precedes,
  type Conclusion,
  type NearChange,
  type RankedCause,
} from './conclusion.ts';
import {
  changeSentence,
  citeEdge,
  citeScores,
  evidenceSentence,
  findingSentence,
  nameOfChange,
  rankSentence,
} from './statements.ts';

const MAX_SUSPECTS = 4;
const MAX_CHANGES = 6;
const MAX_LEADS = 20;

const atFault = (service: string): string => `${code(service)} is at fault.`;

export function hypotheses(
  file: CaseFile,
  { cause, change }: Conclusion,
  named: string[],
  citations: Citations,
): Hypothesis[] {
  if (!file.ranking || !cause) return leads(file, named, citations);
  return [
    {
      statement: atFault(cause.service),
      verdict: 'supported',
      reasoning: rankSentence(file, citations, cause),
    },
    ...rivalsOf(file, cause, named).map((rival) => judgeService(file, cause, rival, citations)),
    ...changesNear(file)
      .filter((near) => near.change !== change?.change)
      .slice(0, MAX_CHANGES)
      .map((near) => judgeChange(file, cause, near, citations)),
  ];
}

function rivalsOf(file: CaseFile, cause: RankedCause, named: string[]): RankedCause[] {
  const suspects = anomalousCauses(file).slice(0, MAX_SUSPECTS);
  const names = [...suspects.map(({ service }) => service), file.ranking?.result.alert.service ?? '', ...named];
  return [...new Set(names)]
    .filter((service) => service !== cause.service)
    .flatMap((service) => rankedAs(file, service) ?? []);
}

/** Rules a service out only if it shows nothing, or if what it calls accounts for most of what it shows. */
function judgeService(file: CaseFile, cause: RankedCause, rival: RankedCause, citations: Citations): Hypothesis {
  const statement = atFault(rival.service);
  const scores = citeScores(file, citations, rival);
  const [strongest] = rival.evidence;
  if (!strongest || !isDisturbed(rival)) {
    return { statement, verdict: 'ruled_out', reasoning: `No harmful change${scores}.` };
  }
  const shown = evidenceSentence(file, citations, rival, strongest);
  const path = pathBetween(file, rival.service, cause.service);
  const waits =
    path &&
    `it waits for ${code(cause.service)} (${path.map((one) => code(one)).join(' → ')})${citeEdge(file, citations, path)}`;
  if (waits && rival.score < rival.own_score / 2) {
    const why = `Affected, not the cause: ${waits}, and its callees account for most of this${scores}.`;
    return { statement, verdict: 'ruled_out', reasoning: `${shown} ${why}` };
  }
  const why = waits
    ? `Possibly affected only: ${waits}, which may explain this or part of it.`
    : `Also anomalous, with no known link to ${code(cause.service)}${scores}.`;
  return { statement, verdict: 'open', reasoning: `${shown} ${why}` };
}

/** Judges changes near the onset, so that nobody rolls back an innocent deploy. */
function judgeChange(file: CaseFile, cause: RankedCause, near: NearChange, citations: Citations): Hypothesis {
  const { service } = near.change;
  const fact = changeSentence(citations, near, onsetOf(file));
  const cited = citations.cite(file.ranking?.call, file.ranking ? members(file.ranking.result, 'alert') : '');
  const statement = `${nameOfChange(near.change)}${service ? ` of ${code(service)}` : ''} caused the incident.`;
  const ruledOut = (why: string): Hypothesis => ({ statement, verdict: 'ruled_out', reasoning: `${fact} ${why}.` });
  if (!precedes(file, near.change)) return ruledOut(`It came after the alert${cited}`);
  const ranked = service === undefined ? undefined : rankedAs(file, service);
  if (service && ranked && service !== cause.service && !isDisturbed(ranked))
    return ruledOut(`${code(service)} shows no harmful change since${citeScores(file, citations, ranked)}`);
  const why = `It came before the alert, and nothing rules it out${cited}.`;
  return { statement, verdict: 'open', reasoning: `${fact} ${why}` };
}

/** Without a cause: what logs say, and what people asked about. */
function leads(file: CaseFile, named: string[], citations: Citations): Hypothesis[] {
  const read = file.logs.flatMap(({ call }) => given(call, 'service') ?? []);
  return [...new Set([...read, ...named])].slice(0, MAX_LEADS).flatMap((service): Hypothesis[] => {
    const finding = findingsOf(file, service).find(({ kind }) => kind === 'resource' || kind === 'blames');
    const ranked = rankedAs(file, service);
    const quiet = ranked ? `No clear harmful change in its metrics${citeScores(file, citations, ranked)}.` : '';
    const reasoning = [finding ? findingSentence(citations, service, finding) : '', quiet].filter(Boolean).join(' ');
    return reasoning ? [{ statement: atFault(service), verdict: 'open', reasoning }] : [];
  });
}

function rankedAs({ ranking }: CaseFile, service: string): RankedCause | undefined {
  return ranking?.result.causes.find((cause) => cause.service === service);
}
