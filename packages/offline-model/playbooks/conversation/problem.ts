/** A question about a cause: the steps of an investigation as calls of the chat, then its report as a short answer. */
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { CaseFile } from '../investigation/case-file.ts';
import { nextStep } from '../investigation/gather.ts';
import { troubleOf, writeReport } from '../investigation/report.ts';
import { chooseSources, usableSources, type SourceChoice } from '../investigation/sources.ts';
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
  '_The offline model wrote this by following a playbook. Set ANTHROPIC_API_KEY for answers by a language model._';

export function problemPlan(chat: Chat, can: (tool: string) => boolean): Plan {
  return {
    query: withSymptom(chat.question.text),
    settle: (file) => settle(chat, file, true),
    next(file) {
      if (!file.sources) {
        const isPossible = can('list_sources') && file.failures.length === 0;
        const text = 'I look at which telemetry sources there are.';
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
      return step.done ? undefined : { text: step.text, calls: step.calls };
    },
  };
}

/** Whether the question is about something that the sources know, about nothing in particular, or about something else. */
function subjectOf({ question }: Chat, file: CaseFile, choice: SourceChoice): 'known' | 'unknown' | 'none' {
  const said = words(question.text).filter((word) => !GENERIC.has(word));
  const isOnly = usableSources(file.sources).length === 1 || choice.primary.kind !== 'recorded-incident';
  if (said.length === 0) return isOnly || isContinued(file) ? 'known' : 'none';
  const { id, title, alerts, window } = choice.primary;
  const services = file.services?.result.services ?? [];
  const known = words(
    [
      id,
      title,
      window?.from.slice(0, 10) ?? '',
      ...alerts.flatMap((alert) => [alert.name, alert.service, alert.summary]),
      ...services.map((service) => `${service.name} ${service.description ?? ''}`),
    ].join(' '),
  );
  const isKnown = isContinued(file) || said.some((word) => known.some((one) => one.startsWith(word.slice(0, 5))));
  return isKnown ? 'known' : 'unknown';
}

const isContinued = ({ settled }: CaseFile): boolean => settled?.why === STAYS;

/** @param cutShort the plan was not played to its end */
export function problemAnswer(chat: Chat, file: CaseFile, cutShort: boolean): string {
  const choice = chooseSources(file);
  if (choice && !file.ranking && file.readings.length === 0 && !cutShort) {
    const subject = subjectOf(chat, file, choice);
    const why =
      subject === 'none'
        ? 'Your question names no service, alert or time, and there are several incidents that it could be about.'
        : 'I find nothing in the telemetry that your question is about.';
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
    cutShort ? 'I had to answer before everything was read, so this is preliminary.' : '',
    `${head} ${report.root_cause.statement}`,
    cause ? section('Impact', [report.impact]) : '',
    asksWhen ? part(report, 'timeline') : '',
    part(report, 'ruled out'),
    cause ? part(report, 'confidence') : '',
    part(report, 'next step'),
    ...file.failures.slice(0, 3).map((one) => `A call of ${one.tool} gave no answer: ${failureOf(one)}${cite(one)}.`),
    choice ? `I looked at ${name(choice.primary.id)}, because ${choice.why}${cite(file.sources?.call)}.` : '',
    SIGNATURE,
  );
}

/** One part of what the last question about a cause came to. */
export function aboutAnswer(file: CaseFile, of: AnswerPart): string {
  const report = reportOf(file, chooseSources(file));
  const text = of === 'why' ? report.root_cause.statement : part(report, of);
  return text === '' ? 'What I read says nothing about that.' : text;
}

function part(report: Report, of: AnswerPart): string {
  const reasons = (verdict: string): string[] =>
    report.hypotheses
      .filter((one) => one.verdict === verdict)
      .map(({ statement, reasoning }) => `${statement} ${reasoning}`);
  switch (of) {
    case 'ruled out':
      return paragraphs(section('Ruled out', reasons('ruled_out')), section('Not settled', reasons('open')));
    case 'timeline':
      return section(
        'Timeline',
        report.timeline.map(({ at, event }) => `${at}: ${event}`),
      );
    case 'confidence':
      return `**Confidence:** ${Math.round(report.confidence * 100)} %.`;
    case 'next step':
      return `**Next step:** ${report.recommended_change.summary} ${report.recommended_change.details ?? ''}`.trim();
    default:
      return report.root_cause.statement;
  }
}

/** The report with the numbers of the evidence instead of its own citations, and without Markdown of others. */
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
