import { Link } from '@tanstack/react-router';
import { Badge } from '../../../components/ui/badge.tsx';
import { Prose } from '../evidence/prose.tsx';
import type { Report } from '../queries.ts';
import { confidenceBasis, confidenceWords } from './confidence.ts';

/**
 * The one thing that somebody paged at night wants to know, and how far to trust it.
 * @param isPublic Whoever reads it cannot open the page of the service.
 */
export function RootCause({ report, isPublic = false }: { report: Report; isPublic?: boolean }) {
  const { root_cause: cause } = report;
  return (
    <section aria-labelledby="result" className="rounded-lg border border-line-strong bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b px-4 py-2.5">
        <h2 id="result" tabIndex={-1} className="font-semibold focus:outline-none">
          Cause
        </h2>
        {cause.service === null ? (
          <span className="text-ink-soft">Not established</span>
        ) : (
          <code className="rounded bg-bad-soft px-2 py-0.5 font-mono text-sm font-semibold break-all text-bad">
            {isPublic ? (
              cause.service
            ) : (
              <Link to="/service" search={{ name: cause.service }} className="hover:underline">
                {cause.service}
              </Link>
            )}
          </code>
        )}
        {cause.service !== null && <Confidence confidence={report.confidence} />}
      </div>
      <div className="p-4 text-base">
        <Prose text={cause.statement} />
        {cause.service !== null && <p className="mt-2 text-sm text-ink-soft">{confidenceBasis(report)}</p>}
      </div>
    </section>
  );
}

function Confidence({ confidence }: { confidence: number }) {
  const percent = Math.round(confidence * 100);
  const { words, tone } = confidenceWords(confidence);
  return (
    <span className="ml-auto flex items-center gap-2.5 text-sm">
      <Badge tone={tone}>{words}</Badge>
      <span aria-hidden className="h-2 w-16 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
      </span>
      <span className="font-medium tabular-nums">
        {percent} % <span className="sr-only">confidence</span>
      </span>
    </span>
  );
}
