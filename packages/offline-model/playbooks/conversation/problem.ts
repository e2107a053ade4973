/** Answers a question about a cause: the steps of an investigation, then a short form of its report. */
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import { openCase, type CaseFile } from '../investigation/case-file.ts';
import { databaseAnswer, readDatabases } from '../investigation/database-evidence.ts';
import { nextStep } from '../investigation/gather.ts';
import { troubleOf, writeReport } from '../investigation/report.ts';
import { chooseSources, type SourceChoice } from '../investigation/sources.ts';
import { conclude } from '../investigation/conclusion.ts';
import { withSymptom } from '../investigation/survey.ts';
import { askBack, mismatchOf } from '../investigation/not-here.ts';
import { has, type Chat, type Play } from './chat.ts';
import { sourceList } from './lookups.ts';
import { settle } from './target.ts';
import { bullets, cite, failureOf, name, outsideCode, paragraphs } from '../wording.ts';

const MAX_LINES = 8;
const LIKELY = 0.5;
const SIGNATURE =
  '_The offline model wrote this by following a playbook. Set ANTHROPIC_API_KEY to get answers from a language model._';

export function problemPlay(chat: Chat): Play {
  const { text } = chat.question;
  const listed = openCase(chat.calls);
  const { connected, systems } = chat.situation;
  const file = { ...listed, query: withSymptom(text), settled: settle(chat, listed.sources, true), connected, systems };
  const choice = chooseSources(file);
  const mismatch = choice && mismatchOf({ ...file, query: text }, choice);
  return {
    next() {
      const can = (tool: string): boolean => has(chat, tool);
      if (mismatch) return readDatabases(file, can);
      const step = nextStep(file, can);
      return step.done ? undefined : step;
    },
    answer(cutShort) {
      const ofDatabases = !choice || mismatch === 'subject' ? databaseAnswer(file) : [];
      if (ofDatabases.length > 0) return paragraphs(...ofDatabases, SIGNATURE);
      if (!choice || !mismatch || cutShort) return problemAnswer(file, choice, cutShort);
      const { root_cause: cause, recommended_change: change } = askBack(file, choice, mismatch);
      return paragraphs(withoutCitations(cause.statement), change.summary, sourceList(file));
    },
  };
}

/** The report counts its citations on its own; the list of sources that follows cites by evidence. */
function withoutCitations(text: string): string {
  return outsideCode(text, (plain) => plain.replaceAll(/ ?\[\d+\]/g, ''));
}

function problemAnswer(file: CaseFile, choice: SourceChoice | undefined, cutShort: boolean): string {
  const failed = choice ? undefined : file.failures.find(({ tool }) => tool === 'list_sources');
  if (failed) return `The telemetry sources could not be listed: ${failureOf(failed)}${cite(failed)}.`;
  const report = reportOf(file, choice);
  const { cause } = conclude(file);
  const suspect = cause && `${name(cause.service)} (${troubleOf(cause)})`;
  const head =
    suspect === undefined
      ? '**No root cause found.**'
      : report.confidence >= LIKELY
        ? `**Likely root cause: ${suspect}.**`
        : `**No cause is established; the top candidate is ${suspect}.**`;
  const { summary, details = '' } = report.recommended_change;
  const judged = (verdict: string): string[] =>
    report.hypotheses
      .filter((one) => one.verdict === verdict)
      .map(({ statement, reasoning }) => `${statement} ${reasoning}`);
  return paragraphs(
    cutShort ? 'Preliminary: the time ran out before everything was read.' : '',
    `${head} ${report.root_cause.statement}`,
    choice ? section('Impact', [report.impact, report.summary]) : '',
    section('Ruled out', judged('ruled_out')),
    section('Still open', judged('open')),
    cause ? `**Confidence:** ${Math.round(report.confidence * 100)} %.` : '',
    `**Next step:** ${summary} ${details}`.trim(),
    choice ? `Based on ${name(choice.primary.id)}${cite(file.sources?.call)}.` : '',
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
    summary: cited(report.summary),
    hypotheses: report.hypotheses.map((one) => ({ ...one, reasoning: cited(one.reasoning) })),
  };
}

function section(title: string, lines: readonly string[]): string {
  return lines.length > 0 ? `**${title}**\n\n${bullets(lines.slice(0, MAX_LINES))}` : '';
}
