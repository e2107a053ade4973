import type { Report } from '../../src/features/investigations/report/index.ts';

/** A report that cites evidence 1 once; the given members replace its own. */
export function sampleReport(given: Partial<Report> = {}): Report {
  return {
    title: 'Pool of db exhausted, web slow',
    root_cause: { service: 'db', statement: 'The pool of db was exhausted [1].' },
    confidence: 0.8,
    summary: 'All clients waited [1].',
    hypotheses: [{ statement: 'A leak.', verdict: 'open', reasoning: 'Not looked at.' }],
    timeline: [{ at: '2026-03-01T11:58:00Z', event: 'The pool filled up [1].' }],
    impact: 'Web was slow for all [1].',
    recommended_change: { summary: 'Raise max_connections to 200.' },
    citations: [{ n: 1, evidence: 1, excerpts: ['pool exhausted: 118 clients waiting'] }],
    ...given,
  };
}
