import { Badge } from '../../../components/ui/badge.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';
import { confidenceWords } from './confidence.ts';

/** The one thing that somebody paged at night wants to know. */
export function RootCause({ report: { root_cause, confidence, confidence_basis } }: { report: Report }) {
  const percent = Math.round(confidence * 100);
  const { words, tone } = confidenceWords(confidence);
  return (
    <section aria-labelledby="result" className="rounded-lg border border-line-strong bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-3">
        <h2 id="result" tabIndex={-1} className="font-semibold focus:outline-none">
          Root cause
        </h2>
        {root_cause.service === null ? (
          <span className="text-ink-soft">No cause established</span>
        ) : (
          <code className="rounded bg-bad-soft px-2 py-0.5 font-mono text-sm font-semibold break-all text-bad">
            {root_cause.service}
          </code>
        )}
        <span className="ml-auto flex items-center gap-2.5 text-sm">
          <Badge tone={tone}>{words}</Badge>
          <span aria-hidden className="h-2 w-20 overflow-hidden rounded-full bg-sunken">
            <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
          </span>
          <span className="font-medium tabular-nums">
            {percent} % <span className="sr-only">confidence</span>
          </span>
          <span className="text-ink-soft">
            {confidence_basis === 'measured' ? 'measured on known incidents' : "the model's estimate"}
          </span>
        </span>
      </div>
      <div className="p-4 text-base">
        <Prose text={root_cause.statement} />
      </div>
    </section>
  );
}
