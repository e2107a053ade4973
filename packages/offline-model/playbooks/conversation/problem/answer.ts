/** The answer to a question about a problem, in Markdown. */
import type { CaseFile } from '../../investigation/case-file.ts';
import { conclude, findingsOf, type Conclusion } from '../../investigation/conclusion.ts';
import { chooseSources, type SourceChoice } from '../../investigation/sources.ts';
import { given } from '../calls.ts';
import { has, type Chat } from '../chat.ts';
import { incidentList, serviceList } from '../lookups/overview.ts';
import { subjectOf } from '../subject.ts';
import { serviceIn } from '../services.ts';
import { timesIn } from '../times.ts';
import { bullets, cite, clock, failureOf, name, paragraphs, sentence, verbatim } from '../wording.ts';
import { obstacle } from './index.ts';
import { confidence, evidence, lead, limits, nextStep, scope, SIGNATURE, timeline, type Named } from './sections.ts';
import { serviceVerdict, verdictLines } from './verdict-lines.ts';
import { findingFact } from './facts.ts';

const MOST_LINES = 6;
const NEAR_MS = 10 * 60_000;

/** @param cutShort the answer is due before everything was read */
export function problemAnswer(chat: Chat, file: CaseFile, cutShort: boolean): string {
  const hindered = obstacle(chat, file);
  if (hindered) return withoutSubject(chat, file, hindered, cutShort);
  const choice = chooseSources(file);
  if (!choice) return withoutSubject(chat, file, 'no source', cutShort);
  const conclusion = conclude(file);
  const subject = subjectOf(chat, file, false);
  const similar = subject?.similar ?? [];
  const early = cutShort ? 'I had to answer before everything was read, so this is preliminary.' : '';
  if (!isNamed(conclusion)) {
    return paragraphs(early, noCause(file, choice), limits(file), scope(file, choice, similar), SIGNATURE);
  }
  const verdicts = verdictLines(file, conclusion);
  const asksWhen =
    /\bwhat happened\b|\btime ?line\b|\bwhen\b/i.test(chat.question.text) || timesIn(chat.question.text).length > 0;
  return paragraphs(
    early,
    lead(file, conclusion),
    aboutAsked(chat, file, conclusion),
    aboutTime(file, subject?.at, conclusion),
    section('Evidence', evidence(file, choice, conclusion)),
    asksWhen ? timeline(file, choice, conclusion) : '',
    section('Ruled out', verdicts.ruledOut),
    section('Not settled', verdicts.open),
    confidence(conclusion, verdicts),
    limits(file),
    nextStep(file, conclusion),
    scope(file, choice, similar),
    SIGNATURE,
  );
}

export function isNamed(conclusion: Conclusion): conclusion is Named {
  return conclusion.cause !== undefined;
}

export function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `**${title}**\n\n${bullets(lines.slice(0, MOST_LINES).map(sentence))}` : '';
}

/** The person asked about a service that is not the cause: what that one's part is. */
function aboutAsked({ question }: Chat, file: CaseFile, conclusion: Named): string {
  const causes = file.ranking?.result.causes ?? [];
  const asked = serviceIn(
    question.text,
    causes.map(({ service }) => ({ name: service, metrics: 0 })),
  );
  const ranked = causes.find(({ service }) => service === asked?.name);
  // A guess at what was meant is no reason to acquit it.
  if (!ranked || asked?.said !== undefined || ranked.service === conclusion.cause.service) return '';
  const { line, isSuspect } = serviceVerdict(file, conclusion, ranked);
  const head = isSuspect ? 'may be at fault as well' : 'itself is not at fault as far as I see';
  return sentence(`${name(ranked.service)} ${head}: ${line.charAt(0).toLowerCase()}${line.slice(1)}`);
}

/** The person named a time at which it had not begun yet, or was going on already. */
function aboutTime(file: CaseFile, at: string | undefined, { onset }: Named): string {
  const apart = Date.parse(at ?? '') - Date.parse(onset ?? '');
  if (onset === undefined || !(Math.abs(apart) > NEAR_MS)) return '';
  const when = apart < 0 ? 'after the time you name' : 'before the time you name';
  return `The metrics begin to deviate at ${clock(onset)}, ${when}${cite(file.ranking?.call)}.`;
}

function noCause(file: CaseFile, choice: SourceChoice): string {
  const { ranking } = file;
  const failed = file.failures.find(({ tool }) => tool === 'rank_root_causes');
  const why = ranking
    ? `none of ${ranking.result.considered.series} series of ${ranking.result.considered.services} services shows a clear harmful change in the time I compared${cite(ranking.call)}`
    : failed
      ? `the ranking of causes failed: ${failureOf(failed)}${cite(failed)}`
      : choice.metrics
        ? 'the causes were not ranked'
        : `${name(choice.primary.id)} has no metrics to compare${cite(file.sources?.call)}`;
  const read = [...new Set(file.logs.flatMap(({ call }) => given(call, 'service') ?? []))];
  const leads = read.flatMap((service) =>
    findingsOf(file, service)
      .filter(({ kind }) => kind === 'resource' || kind === 'blames')
      .map((finding) => findingFact(service, finding)),
  );
  const best = ranking?.result.causes[0];
  const highest = best
    ? `The highest score is that of ${name(best.service)}, ${verbatim(best.score)}${cite(ranking?.call)}, which is within what healthy services show.`
    : '';
  return paragraphs(
    `**No root cause found:** ${why}.`,
    highest,
    section('Leads', leads),
    '**Next step:** name the service, the time and what was observed, and I look there.',
  );
}

function withoutSubject(chat: Chat, file: CaseFile, why: ReturnType<typeof obstacle>, cutShort: boolean): string {
  if (why === 'no source') return withoutSources(chat, file, cutShort);
  const first =
    why === 'which one'
      ? 'Your question names no service, alert or time, and there are several incidents it could be about.'
      : 'I find nothing in the telemetry sources that your question is about.';
  const subject = subjectOf(chat, file, false);
  const isGuess = subject === undefined || (!subject.stays && subject.similar.length === 0 && !subject.pointed);
  return paragraphs(first, isGuess ? '' : serviceList(file), incidentList(file));
}

function withoutSources(chat: Chat, { sources, failures }: CaseFile, cutShort: boolean): string {
  const failed = failures.find(({ tool }) => tool === 'list_sources');
  if (failed) return `I cannot say: the telemetry sources could not be listed: ${failureOf(failed)}${cite(failed)}.`;
  if (!has(chat, 'list_sources')) return 'I cannot say: this chat has no tool that lists telemetry sources.';
  if (!sources)
    return cutShort
      ? 'I had to answer before I could read anything, so I cannot say.'
      : 'I cannot say: no telemetry source was read.';
  const [broken] = sources.result.sources.filter(({ error }) => error);
  if (broken) {
    return `I cannot say: no telemetry source can be read. ${name(broken.id)} answers with an error${cite(sources.call)}.`;
  }
  return `I cannot say, because no telemetry source is configured${cite(sources.call)}. Set PROMETHEUS_URL for metrics, LOKI_URL for logs, or CASEBOOK_INCIDENTS_DIR for a folder of recorded incidents, then ask again.`;
}
