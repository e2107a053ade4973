/** What an investigation says when its sources leave nothing to say. */
import { howToConnect } from '../../sources/index.ts';
import { oneLine } from '../../tools/index.ts';
import type { CheckedReport } from '../report/index.ts';
import type { Coverage } from './compute.ts';

const MAX_NAMED = 5;

/**
 * The report of a team that has connected nothing, whatever a model made of the question: no cause, and how to connect a
 * source.
 */
export function reportWithoutSources(appUrl: string): CheckedReport {
  const how = howToConnect(appUrl);
  return {
    title: 'No telemetry source is connected',
    root_cause: {
      service: null,
      statement: 'Cause unknown: no source of metrics, logs or traces is connected.',
    },
    confidence: 0,
    summary: `Nothing was checked. ${how}`,
    hypotheses: [],
    timeline: [],
    impact: 'Unknown.',
    recommended_change: { summary: 'Connect a telemetry source, then ask again.', details: how },
    citations: [],
    unverifiedClaims: [],
  };
}

/** A report whose every query came back without data names no cause, whatever a model made of it. */
export function reportWithoutData(report: CheckedReport): CheckedReport {
  const unsupported = { ...report, confidence: 0, confidenceBasis: undefined };
  if (report.root_cause.service === null) return unsupported;
  return {
    ...unsupported,
    title: 'No cause established: no query returned data',
    root_cause: {
      service: null,
      statement: 'No cause is established: no query returned data.',
    },
    hypotheses: report.hypotheses.map((one) => ({ ...one, verdict: 'open' })),
  };
}

/** Why an investigation failed all of whose sources did: names them, with what each said. */
export function failureOfSources({ sources }: Coverage): string {
  const lost = sources.filter(({ error }) => error !== null);
  const named = lost.slice(0, MAX_NAMED).map(({ source, error }) => `${source} (${oneLine(error ?? '', 200)})`);
  const more = lost.length > named.length ? ` and ${lost.length - named.length} more` : '';
  if (named.length === 0) return 'No system answered.';
  return `No telemetry source answered: ${named.join('; ')}${more}.`;
}
