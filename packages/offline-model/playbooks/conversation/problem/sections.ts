/** The parts of an answer about a cause. Each is also the answer to a follow-up question. */
import type { CaseFile } from '../../investigation/case-file.ts';
import { changesNear, NOTABLE_SCORE, type Conclusion, type RankedCause } from '../../investigation/conclusion.ts';
import type { LogFinding } from '../../investigation/log-evidence.ts';
import { recommendation } from '../../investigation/recommendation.ts';
import { isLive, type SourceChoice } from '../../investigation/sources.ts';
import { bullets, cite, clock, day, failureOf, listed, metricName, name, sentence, verbatim } from '../wording.ts';
import {
  alertFact,
  changeFact,
  changeName,
  changeWhat,
  citeSignal,
  findingFact,
  pathFact,
  quoteLine,
  rankFact,
  signalChange,
  signalFact,
} from './facts.ts';
import { faultOf, saidBy } from './fault.ts';
import type { VerdictLines } from './verdict-lines.ts';

export const SIGNATURE =
  "*Written by Casebook's offline model: a deterministic playbook over what the tools returned, not a language model.*";

const MOST_SIGNALS = 2;
const MOST_FINDINGS = 1;
/** A single line more is an accident. */
const FEWEST_LINES = 2;
const MOST_FAILURES = 3;
/** Below it a cause is called possible, not likely. */
const LIKELY = 0.5;

/** A conclusion that names a cause. */
export type Named = Conclusion & { cause: RankedCause };

/** `**Likely root cause: db (connection pool).**` and what shows it, in one or two sentences. */
export function lead(file: CaseFile, conclusion: Named): string {
  const { cause, change, confidence } = conclusion;
  const likely = confidence >= LIKELY ? 'Likely' : 'Possible';
  const [signal] = cause.signals;
  const [finding] = tellingFindings(conclusion);
  const what = [
    signal ? `${signalChange(file, cause.service, signal)}${citeSignal(file, cause.service, signal)}` : '',
    finding ? `its logs say ${quoteLine(finding.text)}${cite(finding.source.call)}` : '',
  ].filter(Boolean);
  const trigger = change ? sentence(` Before it began came ${changeFact(change.change, change.source.call)}`) : '';
  return `**${likely} root cause: ${name(cause.service)} (${faultOf(conclusion)}).** ${sentence(what.join(', and '))}${trigger}`;
}

/** What supports it, beyond what the lead says. */
export function evidence(file: CaseFile, choice: SourceChoice, conclusion: Named): string[] {
  const { cause, steps, findings } = conclusion;
  const [first, ...others] = cause.signals;
  const signals = others.filter(({ metric, score }, index) => {
    const isRepeat = metric === first?.metric || others.findIndex((one) => one.metric === metric) < index;
    return !isRepeat && Math.abs(score) >= NOTABLE_SCORE;
  });
  const [, ...more] = tellingFindings(conclusion);
  const blamed = findings.find((finding) => finding.blamed !== undefined)?.blamed;
  return [
    alertFact(file, choice),
    pathFact(file, conclusion),
    rankFact(file, cause),
    ...steps.map(({ rule, from, to, speaker, finding }) =>
      rule === 'blame'
        ? `I prefer ${name(to)} to ${name(from)}, whose own logs blame it: ${findingFact(speaker, finding)}`
        : `I prefer ${name(to)} to ${name(from)}, whose score is nearly the same: a resource of its own gave out: ${findingFact(speaker, finding)}`,
    ),
    keptBlame(file, cause, blamed),
    ...more
      .filter(({ kind, pattern }) => kind === 'resource' || pattern.count >= FEWEST_LINES)
      .slice(0, MOST_FINDINGS)
      .map((finding) => findingFact(cause.service, finding)),
    ...signals.slice(0, MOST_SIGNALS).map((signal) => signalFact(file, cause.service, signal)),
  ]
    .filter((line) => line !== '')
    .map(sentence);
}

/** Why a service is at fault although its logs name another one. */
function keptBlame(file: CaseFile, cause: RankedCause, blamed: string | undefined): string {
  const other = file.ranking?.result.causes.find(({ service }) => service === blamed);
  if (!other) return '';
  return `The logs of ${name(cause.service)} name ${name(other.service)}, but that one itself shows little (evidence ${verbatim(other.own_score)} against ${verbatim(cause.own_score)})${cite(file.ranking?.call)}`;
}

/** What its logs say, the most telling first. */
export function tellingFindings({ findings }: Conclusion): LogFinding[] {
  const kinds: LogFinding['kind'][] = ['resource', 'blames', 'other'];
  const ordered = kinds.flatMap((kind) => findings.filter((one) => one.kind === kind));
  return ordered.toSorted((a, b) => rank(a) - rank(b));

  /** Of lines that are nothing in particular, those first that say what gave out. */
  function rank({ kind, text }: LogFinding): number {
    return kind === 'other' && saidBy(text) === undefined ? kinds.length : kinds.indexOf(kind);
  }
}

/** How sure it is, and what that rests on. */
export function confidence(conclusion: Named, { open }: VerdictLines): string {
  const { change, steps } = conclusion;
  const agree = [
    'the ranking of the metrics',
    ...(tellingFindings(conclusion).length > 0 ? ['its own logs'] : []),
    ...(change ? ['a change before the onset'] : []),
  ];
  const percent = Math.round(conclusion.confidence * 100);
  const points = agree.length === 1 ? `only ${agree.join('')} points there` : `${listed(agree)} point there`;
  const corrected = steps.length > 0 ? ', although the ranking alone put another service first' : '';
  const rest = open.length > 0 ? ' What is not settled below speaks against certainty.' : '';
  return `**Confidence:** ${percent} %: ${points}${corrected}.${rest}`;
}

/** What to do first, and how to see that it helped. */
export function nextStep(file: CaseFile, conclusion: Named): string {
  const { cause, change } = conclusion;
  const [signal] = cause.signals;
  const first = change
    ? `Roll back or correct the ${changeName(change.change)} ${name(change.change.id)} of ${name(cause.service)}${cite(change.source.call)}`
    : recommendation(conclusion).summary.replace(/\.$/, '');
  const verify = signal
    ? ` It has helped when ${metricName(signal)} of ${name(cause.service)} is back at ${verbatim(signal.baseline_median)}${cite(file.ranking?.call)}.`
    : '';
  return `**Next step:** ${first}.${verify}`;
}

/** When what happened, in order. */
export function timeline(file: CaseFile, { alert }: SourceChoice, conclusion: Conclusion): string {
  const { cause, onset } = conclusion;
  const [finding] = tellingFindings(conclusion);
  const events = [
    ...changesNear(file).map(({ change, source }) => ({ at: change.at, what: changeWhat(change, source.call) })),
    ...(onset ? [{ at: onset, what: `metrics begin to deviate${cite(file.ranking?.call)}` }] : []),
    ...(finding && cause
      ? [
          {
            at: finding.pattern.first,
            what: `${name(cause.service)} begins to log ${quoteLine(finding.text)}${cite(finding.source.call)}`,
          },
        ]
      : []),
    ...(alert
      ? [{ at: alert.at, what: `alert ${name(alert.name)} of ${name(alert.service)}${cite(file.sources?.call)}` }]
      : []),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const [first] = events;
  if (!first) return '';
  return `**Timeline** (${day(first.at)}, UTC)\n\n${bullets(events.map(({ at, what }) => sentence(`${clock(at)} ${what}`)))}`;
}

/** What was looked at, why, and what that leaves out. */
export function scope(file: CaseFile, choice: SourceChoice, similar: readonly { id: string }[]): string {
  const { primary, why, alert } = choice;
  const when = alert
    ? ` of ${day(alert.at)}`
    : isLive(primary) || !primary.window
      ? ''
      : ` of ${day(primary.window.from)}`;
  const window = file.ranking?.result.incident;
  const compared = window
    ? ` Compared were ${clock(window.from)} to ${clock(window.to)} UTC with a healthy time before${cite(file.ranking?.call)}.`
    : '';
  const others =
    similar.length > 0
      ? ` Your question also fits ${listed(
          similar.map(({ id }) => name(id)),
          3,
        )}; name ${similar.length === 1 ? 'it' : 'one of them'} to ask about that.`
      : '';
  return `**Scope:** I looked at ${name(primary.id)}${when}, because ${why}${cite(file.sources?.call)}.${compared}${others}`;
}

/** Calls that gave no answer, so that a reader knows what the conclusion does not rest on. */
export function limits({ failures }: CaseFile): string {
  const lines = failures
    .slice(0, MOST_FAILURES)
    .map((call) => sentence(`${call.tool} gave no answer: ${failureOf(call)}${cite(call)}`));
  return lines.length > 0 ? `**Not read:** ${lines.join(' ')}` : '';
}
