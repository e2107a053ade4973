/** Scripts that several suites play: an investigation that does little, and does it right. */
import { byTurn, type Script, type ScriptedStep } from './scripted-model/index.ts';

/** A report that cites the first evidence of the run, which must contain the excerpt. */
export function reportInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    title: 'payment: connection pool exhausted',
    root_cause: { service: 'payment', statement: 'The pool of payment is exhausted [1].' },
    confidence: 0.8,
    summary: 'Checkout fails because payment has no free connection [1].',
    hypotheses: [{ statement: 'The pool is exhausted.', verdict: 'supported', reasoning: 'The sources say so [1].' }],
    timeline: [{ at: '2026-03-01T12:00:00Z', event: 'The alert fired [1].' }],
    impact: 'Checkout fails for many customers [1].',
    recommended_change: { summary: 'Raise the size of the pool.' },
    citations: [{ n: 1, evidence: 1, excerpts: ['"sources":'] }],
    ...overrides,
  };
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
