import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { Conclusion } from './conclusion.ts';
import { clip, metricName, name, quote, verbatim } from '../wording.ts';

type Recommendation = Report['recommended_change'];

const BY_MEANING: Record<string, (service: string) => string> = {
  latency: (service) =>
    `Find what slows ${name(service)} down, starting with its slowest operations and what it waits for`,
  errors: (service) => `Find why ${name(service)} fails, starting with its most frequent error`,
  availability: (service) => `Find why ${name(service)} fails, starting with its most frequent error`,
  saturation: (service) => `Give ${name(service)} more of the resource it has run out of, and find what uses it up`,
  headroom: (service) => `Give ${name(service)} more of the resource it has run out of, and find what uses it up`,
  traffic: (service) => `Limit or absorb the additional load on ${name(service)}, and find who sends it`,
};

export function recommendation({ cause, change, findings }: Conclusion): Recommendation {
  if (!cause) {
    return {
      summary: 'Describe the symptom in more detail (service, time, what was observed), then rerun.',
      details: 'Nothing that was read points to a single service, so there is nothing to change yet.',
    };
  }
  const [signal] = cause.signals;
  const verify = signal
    ? `Verify that ${metricName(signal)} of ${name(cause.service)} returns to about ${verbatim(signal.baseline_median)}.`
    : `Verify that ${name(cause.service)} recovers.`;
  if (change) {
    return {
      summary: clip(
        `Roll back or correct the ${name(change.change.kind)} ${name(change.change.id)} of ${name(cause.service)}.`,
        400,
      ),
      details: `It came shortly before the onset: ${quote(change.change.summary, 500)}. ${verify}`,
    };
  }
  const resource = findings.find(({ kind }) => kind === 'resource');
  if (resource) {
    const [line = ''] = resource.text.split('\n');
    return {
      summary: clip(`Relieve the resource that ${name(cause.service)} has run out of, and find what uses it up.`, 400),
      details: `Its logs say ${quote(line, 500)}. ${verify}`,
    };
  }
  const first = BY_MEANING[signal?.meaning ?? ''] ?? ((service: string) => `Look closely at ${name(service)}`);
  return { summary: `${first(cause.service)}.`, details: verify };
}
