import { changeStep, confirmation } from '@casebook/wording';
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { Conclusion } from './conclusion.ts';
import { clip } from '../wording.ts';

export function recommendation({ cause, change, findings }: Conclusion): Report['recommended_change'] {
  if (!cause) {
    return {
      summary: 'Describe the symptom in more detail (service, time, what you observed), then rerun.',
      details: 'No single service stands out, so there is nothing to change yet.',
    };
  }
  const { service, signals, evidence } = cause;
  const [signal] = signals;
  const [strongest] = evidence;
  const step = changeStep(service, {
    change: change?.change,
    line: findings.find(({ kind }) => kind === 'resource')?.text,
    metric: signal?.metric,
    ...strongest,
    kind: strongest === undefined || strongest.kind === 'metric' ? signal?.meaning : strongest.kind,
  });
  return {
    summary: clip(step, 400),
    ...(signal && { details: confirmation({ service, ...signal, before: signal.baseline_median }) }),
  };
}
