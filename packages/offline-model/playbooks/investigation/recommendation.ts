import { changeStep, confirmation } from '@casebook/wording';
import type { Report } from '../../../../src/features/investigations/report/schema.ts';
import type { Revert } from './code-evidence.ts';
import type { Conclusion } from './conclusion.ts';
import { clip } from '../wording.ts';

export function recommendation({ cause, change, findings }: Conclusion, revert?: Revert): Report['recommended_change'] {
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
  const details = [revert?.note, signal && confirmation({ service, ...signal, before: signal.baseline_median })].filter(
    Boolean,
  );
  return {
    summary: clip(revert?.step ?? step, 400),
    ...(details.length > 0 && { details: details.join('\n\n') }),
  };
}
