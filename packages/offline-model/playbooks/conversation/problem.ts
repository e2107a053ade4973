/** Answers a question about a cause: the steps of an investigation, then a short form of its report. */
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import { openCase, type CaseFile } from '../investigation/case-file.ts';
import { nextStep } from '../investigation/gather.ts';
import { troubleOf, writeReport } from '../investigation/report.ts';
import { chooseSources, isLive, usableSources, type SourceChoice } from '../investigation/sources.ts';
import { conclude } from '../investigation/conclusion.ts';
import { withSymptom } from '../investigation/survey.ts';
import { words } from '../investigation/words.ts';
import { askBack, mismatchOf } from '../investigation/not-here.ts';
import { signalsIn } from '../reading.ts';
import { has, type Chat, type Play } from './chat.ts';
import { sourceList } from './lookups.ts';
import { settle, STAYS } from './target.ts';
import { bullets, cite, failureOf, name, outsideCode, paragraphs } from '../wording.ts';

/** Words that say that something is wrong, but not what. */
const GENERIC = new Set(
  (
    'wrong happen happened happening going broken bad degraded high unhealthy strange here now right today again still ' +
    'suddenly check help need something anything everything thing system reason due because hour minute last recent tell explain know'
  ).split(' '),
);
const MAX_LINES = 8;
const LIKELY = 0.5;
const SIGNATURE =
  '_The offline model wrote this by following a playbook. Set ANTHROPIC_API_KEY to get answers from a language model._';

export function problemPlay(chat: Chat): Play {
  const { text } = chat.question;
  const listed = openCase(chat.calls);
  const file = { ...listed, query: withSymptom(text), settled: settle(chat, listed.sources, true) };
  const choice = chooseSources(file);
  return {
    next() {
      const step = nextStep(file, (tool) => has(chat, tool));
      if (step.done || (choice && !isKnown(text, file, choice))) return undefined;
      return step;
    },
    answer(cutShort) {
      const mismatch = choice && !cutShort ? mismatchOf(file, choice) : undefined;
      if (choice && mismatch) {
        const { root_cause: cause, recommended_change: change } = askBack(file, choice, mismatch);
        return paragraphs(withoutCitations(cause.statement), change.summary, sourceList(file));
      }
      if (choice && !file.ranking && !cutShort && !isKnown(text, file, choice))
        return paragraphs('I found nothing in the telemetry that your question is about.', sourceList(file));
      return problemAnswer(file, choice, cutShort);
    },
  };
}

/** The report counts its citations on its own; the list of sources that follows cites by evidence. */
function withoutCitations(text: string): string {
  return outsideCode(text, (plain) => plain.replaceAll(/ ?\[\d+\]/g, ''));
}

/** Whether a recording is about what the question names. A live system is always what is meant. */
function isKnown(text: string, { sources, settled }: CaseFile, { primary }: SourceChoice): boolean {
  if (settled?.why === STAYS || isLive(primary) || usableSources(sources).length === 1) return true;
  const said = words(signalsIn(text).reduce((left, { said: signal }) => left.replace(signal, ' '), text));
  const known = words(JSON.stringify([primary.id, primary.title, primary.window?.from, primary.alerts]));
  return said.some((word) => !GENERIC.has(word) && known.some((one) => one.startsWith(word.slice(0, 5))));
}

function problemAnswer(file: CaseFile, choice: SourceChoice | undefined, cutShort: boolean): string {
  const failed = choice ? undefined : file.failures.find(({ tool }) => tool === 'list_sources');
  if (failed) return `I cannot say: the telemetry sources could not be listed: ${failureOf(failed)}${cite(failed)}.`;
  const report = reportOf(file, choice);
  const { cause } = conclude(file);
  const suspect = cause && `${name(cause.service)} (${troubleOf(cause)})`;
  const head =
    suspect === undefined
      ? '**No root cause found.**'
      : report.confidence >= LIKELY
        ? `**Likely root cause: ${suspect}.**`
        : `**No cause is established; the first candidate is ${suspect}.**`;
  const { summary, details = '' } = report.recommended_change;
  const judged = (verdict: string): string[] =>
    report.hypotheses
      .filter((one) => one.verdict === verdict)
      .map(({ statement, reasoning }) => `${statement} ${reasoning}`);
  return paragraphs(
    cutShort ? 'I had to answer before I had read everything, so this is preliminary.' : '',
    `${head} ${report.root_cause.statement}`,
    cause ? section('Impact', [report.impact]) : '',
    section('Ruled out', judged('ruled_out')),
    section('Not settled', judged('open')),
    cause ? `**Confidence:** ${Math.round(report.confidence * 100)} %.` : '',
    `**Next step:** ${summary} ${details}`.trim(),
    ...file.failures.slice(0, 3).map((one) => `${one.tool} failed: ${failureOf(one)}${cite(one)}.`),
    choice ? `I looked at ${name(choice.primary.id)}, because ${choice.why}${cite(file.sources?.call)}.` : '',
    SIGNATURE,
  );
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
  };
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `**${title}**\n\n${bullets(lines.slice(0, MAX_LINES))}` : '';
}
