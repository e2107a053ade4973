/** Scripts that several suites play: an investigation that does little, and does it right. */
import type { Report } from '../../src/features/investigations/report/index.ts';
import { sampleReport } from './report.ts';
import { byTurn, type Script, type ScriptedStep } from './scripted-model/index.ts';

/** The input of `submit_report` about payment; cites the first evidence of the run, which must contain the excerpt. */
export function reportInput(overrides: Partial<Report> = {}): Record<string, unknown> {
  return sampleReport({
    title: 'payment: connection pool exhausted',
    root_cause: { service: 'payment', statement: 'The pool of payment is exhausted [1].' },
    hypotheses: [{ statement: 'The pool is exhausted.', verdict: 'supported', reasoning: 'The sources say so [1].' }],
    citations: [{ n: 1, evidence: 1, excerpts: ['"sources":'] }],
    ...overrides,
  });
}

export const listSources: ScriptedStep = {
  text: 'Which sources are there?',
  toolUses: [{ name: 'list_sources', input: {} }],
};
export const submitReport: ScriptedStep = {
  text: 'I have it.',
  toolUses: [{ name: 'submit_report', input: reportInput() }],
};

/** Two turns: list the sources, submit a report about them. Plays for any number of conversations at once. */
export const shortInvestigation: Script = byTurn([listSources, submitReport]);
