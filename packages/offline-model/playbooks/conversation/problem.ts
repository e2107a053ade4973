/** Answers a question about a cause by the steps of an investigation, and a short form of its report. */
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { nextStep } from '../investigation/gather.ts';
import { troubleOf, writeReport } from '../investigation/report.ts';
import { chooseSources, isLive, usableSources, type SourceChoice } from '../investigation/sources.ts';
import { conclude } from '../investigation/conclusion.ts';
import { withSymptom } from '../investigation/survey.ts';
import { words } from '../investigation/words.ts';
import type { Chat } from './chat.ts';
import type { AnswerPart } from './intent.ts';
import { sourceList } from './lookups.ts';
import type { Plan } from './replay.ts';
import { settle, STAYS } from './target.ts';
import { call } from '../calls.ts';
import { bullets, cite, failureOf, name, outsideCode, paragraphs } from '../wording.ts';

/** Words that say that something is wrong, but not what. */
const GENERIC = new Set(
  (
    'fail failed failing failure error slow slower latency wrong happen happened happening going broken bad degraded high down ' +
    'unhealthy healthy trouble strange here now right today again still suddenly check help need something anything ' +
    'everything thing system reason due because hour minute last recent please tell explain know timeout spike 500'
  ).split(' '),
);
const MAX_LINES = 8;
const LIKELY = 0.5;
const SIGNATURE =
  '_The offline model wrote this by following a playbook. Set ANTHROPIC_API_KEY to get answers from a language model._';

export function problemPlan(chat: Chat, can: (tool: string) => boolean): Plan {
  return {
    query: withSymptom(chat.question.text),
    settle: (file) => settle(chat, file, true),
    next(file) {
      if (!file.sources) {
        const isPossible = can('list_sources') && file.failures.length === 0;
        const text = 'I look up the telemetry sources.';
        return isPossible ? { text, calls: [call('list_sources', {})] } : undefined;
      }
      const choice = chooseSources(file);
      const services = choice?.services;
      if (choice && services && subjectOf(chat, file, choice) === 'unknown' && !file.services && can('list_services')) {
        const text = `I list the services of ${name(services.id)} to see what this is about.`;
        return { text, calls: [call('list_services', { source: services.id })] };
      }
      if (choice && subjectOf(chat, file, choice) !== 'known') return undefined;
      const step = nextStep(file, can);
      return step.done ? undefined : step;
    },
  };
}

/** Whether the sources know what the question is about; none: it names nothing. */
function subjectOf({ question }: Chat, file: CaseFile, { primary }: SourceChoice): 'known' | 'unknown' | 'none' {
  if (file.settled?.why === STAYS) return 'known';
  const said = words(question.text).filter((word) => !GENERIC.has(word));
  const isOnly = usableSources(file.sources).length === 1 || isLive(primary);
  if (said.length === 0) return isOnly ? 'known' : 'none';
  const services = file.services?.result.services ?? [];
  const known = words(JSON.stringify([primary.id, primary.title, primary.window?.from, primary.alerts, services]));
  return said.some((word) => known.some((one) => one.startsWith(word.slice(0, 5)))) ? 'known' : 'unknown';
}

/** @param cutShort the plan did not finish */
export function problemAnswer(chat: Chat, file: CaseFile, cutShort: boolean): string {
  const choice = chooseSources(file);
  if (choice && !file.ranking && file.readings.length === 0 && !cutShort) {
    const subject = subjectOf(chat, file, choice);
    const why =
      subject === 'none'
        ? 'Your question names no service, alert or time, and it could be about several incidents.'
        : 'I found nothing in the telemetry that your question is about.';
    if (subject !== 'known') return paragraphs(why, sourceList(file));
  }
  const failed = choice ? undefined : file.failures.find(({ tool }) => tool === 'list_sources');
  if (failed) return `I cannot say: the telemetry sources could not be listed: ${failureOf(failed)}${cite(failed)}.`;
  const report = reportOf(file, choice);
  const { confidence } = report;
  const conclusion = conclude(file);
  const { cause } = conclusion;
  const adjective = confidence >= LIKELY ? 'Likely' : 'Possible';
  const head = cause
    ? `**${adjective} root cause: ${name(cause.service)} (${troubleOf(cause)}).**`
    : '**No root cause found.**';
  const asksWhen = /\bwhat happened\b|\btime ?line\b|\bwhen\b/i.test(chat.question.text);
  return paragraphs(
    cutShort ? 'I had to answer before I had read everything, so this is preliminary.' : '',
    `${head} ${report.root_cause.statement}`,
    cause ? section('Impact', [report.impact]) : '',
    asksWhen ? part(report, 'timeline') : '',
    part(report, 'ruled out'),
    cause ? part(report, 'confidence') : '',
    part(report, 'next step'),
    ...file.failures.slice(0, 3).map((one) => `${one.tool} failed: ${failureOf(one)}${cite(one)}.`),
    choice ? `I looked at ${name(choice.primary.id)}, because ${choice.why}${cite(file.sources?.call)}.` : '',
    SIGNATURE,
  );
}

/** Part of the last answer about a cause. */
export function aboutAnswer(file: CaseFile, of: AnswerPart): string {
  const report = reportOf(file, chooseSources(file));
  const text = of === 'why' ? report.root_cause.statement : part(report, of);
  return text === '' ? 'Nothing I read answers that.' : text;
}

function part(report: Report, of: AnswerPart): string {
  const reasons = (verdict: string): string[] =>
    report.hypotheses
      .filter((one) => one.verdict === verdict)
      .map(({ statement, reasoning }) => `${statement} ${reasoning}`);
  switch (of) {
    case 'ruled out':
      return paragraphs(section('Ruled out', reasons('ruled_out')), section('Not settled', reasons('open')));
    case 'timeline': {
      const events = report.timeline.map(({ at, event }) => `${at}: ${event}`);
      return section('Timeline', events);
    }
    case 'confidence':
      return `**Confidence:** ${Math.round(report.confidence * 100)} %.`;
    case 'next step':
      return `**Next step:** ${report.recommended_change.summary} ${report.recommended_change.details ?? ''}`.trim();
    default:
      return report.root_cause.statement;
  }
}

/** The report, citing by evidence number. */
function reportOf(file: CaseFile, choice: SourceChoice | undefined): Report {
  const report = writeReport(file, { ...(choice && { choice }), named: [] });
  const numbers = new Map(report.citations.map(({ n, evidence }) => [n, evidence]));
  const cited = (text: string): string =>
    outsideCode(text, (plain) => plain.replaceAll(/\[(\d+)\]/g, (_, n: string) => `[${numbers.get(Number(n)) ?? n}]`));
  return {
    ...report,
    root_cause: { ...report.root_cause, statement: cited(report.root_cause.statement) },
    impact: cited(report.impact),
    hypotheses: report.hypotheses.map((one) => ({ ...one, reasoning: cited(one.reasoning) })),
    timeline: report.timeline.map(({ at, event }) => ({ at, event: cited(event) })),
  };
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `**${title}**\n\n${bullets(lines.slice(0, MAX_LINES))}` : '';
}
