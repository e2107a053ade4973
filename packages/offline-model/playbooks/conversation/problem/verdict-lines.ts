/** What was ruled out and what stays open, one line for each suspect. */
import { pathBetween } from '../../investigation/call-paths.ts';
import type { CaseFile } from '../../investigation/case-file.ts';
import type { Conclusion, RankedCause } from '../../investigation/conclusion.ts';
import {
  judgeChanges,
  judgeService,
  rivalsOf,
  type ChangeVerdict,
  type ServiceVerdict,
} from '../../investigation/verdicts.ts';
import { cite, clock, listed, name, verbatim } from '../wording.ts';
import type { Named } from './sections.ts';
import { arrows, changeFact, citeSignal, signalChange } from './facts.ts';

export interface VerdictLines {
  ruledOut: string[];
  open: string[];
}

const MOST_OPEN = 2;
const DAY_MS = 24 * 60 * 60_000;
/** Work that a caller starts can be a cause without more traffic: it changes what is asked or what is stored. */
const CHANGES_WORK = /job|import|migrat|batch|campaign|cron|maintenance/i;

export function verdictLines(file: CaseFile, conclusion: Conclusion): VerdictLines {
  const { cause } = conclusion;
  if (!cause) return { ruledOut: [], open: [] };
  const verdicts = rivalsOf(file, cause, []).map((rival) => judgeService(file, conclusion, cause, rival));
  const changes = judgeChanges(file, conclusion);
  const victims = verdicts.filter(({ kind }) => kind === 'victim').map(({ rival }) => rival);
  const weaker = verdicts.filter(({ kind }) => kind === 'weaker').map(({ rival }) => rival);
  const innocent = changes.filter((verdict) => !isOpen(verdict));
  const openChanges = changes.filter(isOpen).toSorted((a, b) => closeness(b, conclusion) - closeness(a, conclusion));
  return {
    ruledOut: [
      ...(victims.length > 0 ? [victimsLine(file, victims, cause)] : []),
      ...innocent.map((verdict) => changeLine(file, conclusion, verdict)),
      ...(weaker.length > 0 ? [weakerLine(file, weaker, cause)] : []),
    ],
    open: [
      ...verdicts
        .filter(({ kind }) => kind === 'open')
        .slice(0, MOST_OPEN)
        .map(({ rival }) => openLine(file, rival, cause)),
      ...openChanges.slice(0, MOST_OPEN).map((verdict) => changeLine(file, conclusion, verdict)),
    ],
  };
}

/** Changes of the cause itself first, then those shortly before the onset. */
function closeness({ near: { change } }: ChangeVerdict, { cause }: Conclusion): number {
  return Date.parse(change.at) + (change.service === cause?.service ? DAY_MS : 0);
}

/** What is held of the changes of one service. */
export function changeVerdictsOf(file: CaseFile, conclusion: Conclusion, service: string): string[] {
  return judgeChanges(file, conclusion)
    .filter(({ near }) => near.change.service === service)
    .map((verdict) => changeLine(file, conclusion, verdict));
}

/** One service's verdict in a sentence, and whether it leaves the service a suspect; for somebody who asks about it. */
export function serviceVerdict(
  file: CaseFile,
  conclusion: Named,
  rival: RankedCause,
): { line: string; isSuspect: boolean } {
  const { cause } = conclusion;
  const verdict: ServiceVerdict = judgeService(file, conclusion, cause, rival);
  const ranking = cite(file.ranking?.call);
  const [own, other] = [verbatim(rival.own_score), verbatim(cause.own_score)];
  const at = name(cause.service);
  switch (verdict.kind) {
    case 'victim':
      return {
        line: `It depends on ${at} (${arrows(verdict.path)}), so it suffers from it rather than causing it${cite(file.dependencies?.call)}`,
        isSuspect: false,
      };
    case 'weaker':
      return {
        line: `Its own evidence (${own}) is less than half of that of ${at} (${other})${ranking}`,
        isSuspect: false,
      };
    default:
      return {
        line: `It is disturbed too (evidence ${own} against ${other} of ${at}), and nothing I read shows that ${at} is the reason${ranking}`,
        isSuspect: true,
      };
  }
}

function victimsLine(file: CaseFile, victims: RankedCause[], cause: RankedCause): string {
  const who = listed(victims.map(({ service }) => name(service)));
  const verb = victims.length === 1 ? 'is a victim: it depends' : 'are victims: they depend';
  return `${who} ${verb} on ${name(cause.service)}${cite(file.dependencies?.call)}`;
}

function weakerLine(file: CaseFile, weaker: RankedCause[], cause: RankedCause): string {
  const who = listed(weaker.map(({ service, own_score }) => `${name(service)} (${verbatim(own_score)})`));
  const verb = weaker.length === 1 ? 'shows' : 'show';
  return `${who} ${verb} less than half of the evidence of ${name(cause.service)} (${verbatim(cause.own_score)})${cite(file.ranking?.call)}`;
}

function openLine(file: CaseFile, rival: RankedCause, cause: RankedCause): string {
  const [signal] = rival.signals;
  const figures = signal
    ? `: ${signalChange(file, rival.service, signal)}${citeSignal(file, rival.service, signal)}`
    : '';
  const path = pathBetween(file, cause.service, rival.service);
  const part = path
    ? `${name(cause.service)} depends on it, so it may be the reason or feel the load`
    : `nothing I read connects it with ${name(cause.service)}`;
  return `${name(rival.service)} is disturbed too, and ${part}${figures}`;
}

function isOpen(verdict: ChangeVerdict): boolean {
  const { kind } = verdict;
  return kind === 'open' || (kind === 'upstream' && CHANGES_WORK.test(verdict.near.change.kind));
}

function changeLine(file: CaseFile, { cause, onset }: Conclusion, verdict: ChangeVerdict): string {
  const { near } = verdict;
  const fact = changeFact(near.change, near.source.call);
  const subject = `${fact.charAt(4).toUpperCase()}${fact.slice(5)}`;
  const ranking = cite(file.ranking?.call);
  const of = name(near.change.service ?? '');
  const at = name(cause?.service ?? '');
  switch (verdict.kind) {
    case 'later':
      return `${subject}; it came after the onset${onset ? ` at ${clock(onset)}${ranking}` : ''}`;
    case 'quiet':
      return verdict.ranked
        ? `${subject}; but the metrics of ${of} show no harmful change${ranking}`
        : `${subject}; but ${of} is not among the first in the ranking of causes${ranking}`;
    case 'weaker':
      return `${subject}; but ${of} shows less than half of the evidence of ${at}${ranking}`;
    case 'upstream':
      return isOpen(verdict)
        ? `${subject}; it may have changed what ${at} has to do`
        : `${subject}; but ${of} only calls ${at} (${arrows(verdict.path)})${cite(file.dependencies?.call)} and sends it no more than before${ranking}`;
    default:
      return near.change.service === cause?.service
        ? `${subject}; it came before, and may have begun it`
        : `${subject}; it came before the onset, and what I read does not exclude it`;
  }
}
