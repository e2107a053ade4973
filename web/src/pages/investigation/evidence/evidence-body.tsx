import { lazy, Suspense } from 'react';
import { StatusBadge, Badge } from '../../../components/ui/badge.tsx';
import { CopyButton } from '../../../components/ui/copy-button.tsx';
import { duration } from '../../../components/ui/time.tsx';
import { size } from '../numbers.ts';
import { ScrollBox } from '../scroll-box.tsx';
import type { ToolCall } from '../queries.ts';
import type { Excerpt, Shown } from './citation-order.ts';

const ToolSeries = lazy(() =>
  import('../../../components/chart/tool-series.tsx').then((module) => ({ default: module.ToolSeries })),
);
const ToolResult = lazy(() =>
  import('../../../components/text-viewer/tool-result.tsx').then((module) => ({ default: module.ToolResult })),
);

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Excerpts, chart, the call itself, and its whole result. */
export function EvidenceBody({ shown: { call, excerpts, evidence } }: { shown: Shown }) {
  if (call === undefined) {
    return (
      <>
        <p className="mb-4 text-warn">
          The report cites evidence {evidence}, which this run does not have. What it says is not verified.
        </p>
        <Excerpts excerpts={excerpts} />
      </>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <CallFacts call={call} />
      {excerpts.length > 0 && <Excerpts excerpts={excerpts} />}
      {call.has_series && (
        <section className="min-h-80">
          <Suspense fallback={null}>
            <ToolSeries toolId={call.id} />
          </Suspense>
        </section>
      )}
      {hasInput(call.input) && <Input input={call.input} />}
      <section>
        <h3 className="mb-2 text-sm font-semibold">Result</h3>
        {call.status === 'pending' ? (
          <p className="text-ink-soft">The call has not ended yet.</p>
        ) : (
          <div className="min-h-96">
            <Suspense fallback={null}>
              <ToolResult toolId={call.id} excerpts={excerpts.map(({ text, offset }) => ({ text, offset }))} />
            </Suspense>
          </div>
        )}
      </section>
    </div>
  );
}

function CallFacts({ call }: { call: ToolCall }) {
  return (
    <dl className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm [&_dd]:inline [&_dt]:inline [&_dt]:text-ink-soft">
      <div>
        <dt>Tool </dt>
        <dd className="font-mono text-xs">{call.name}</dd>
      </div>
      <div>
        <dt>Evidence </dt>
        <dd>{call.evidence}</dd>
      </div>
      {call.started_at !== null && (
        <div>
          <dt>Called </dt>
          <dd>{whole.format(new Date(call.started_at))}</dd>
        </div>
      )}
      {call.duration_ms !== null && (
        <div>
          <dt>Took </dt>
          <dd>{duration(call.duration_ms)}</dd>
        </div>
      )}
      {call.bytes !== null && (
        <div>
          <dt>Returned </dt>
          <dd>{size(call.bytes)}</dd>
        </div>
      )}
      {(call.is_error || call.status !== 'completed') && (
        <div>
          <dt className="sr-only">Status </dt>
          <dd>
            <StatusBadge status={call.is_error && call.status === 'completed' ? 'failed' : call.status} />
          </dd>
        </div>
      )}
      {call.sha256 !== null && (
        <div className="flex min-w-0 items-center gap-2">
          <dt>sha256 </dt>
          <dd className="truncate font-mono text-xs" title={call.sha256}>
            {call.sha256.slice(0, 12)}…
          </dd>
          <CopyButton variant="quiet" size="small" icon aria-label="Copy the sha256" text={() => call.sha256 ?? ''}>
            {null}
          </CopyButton>
        </div>
      )}
    </dl>
  );
}

function Excerpts({ excerpts }: { excerpts: readonly Excerpt[] }) {
  return (
    <section>
      <h3 className="mb-2 text-sm font-semibold">What is cited</h3>
      <ul className="flex flex-col gap-2">
        {excerpts.map(({ text, verified, offset }) => (
          <li key={`${offset} ${text}`} className="rounded-md border bg-ground">
            <ScrollBox label="Excerpt" className="max-h-60 px-3 py-2">
              <pre className="font-mono text-xs break-words whitespace-pre-wrap">{text}</pre>
            </ScrollBox>
            <p className="flex flex-wrap items-center gap-2 border-t px-3 py-1.5 text-sm text-ink-soft">
              {verified ? <Badge tone="good">Verified</Badge> : <Badge tone="warn">Not verified</Badge>}
              {verified
                ? `Stands word for word in the result, at character ${offset}.`
                : 'This text is not in the result.'}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const hasInput = (input: unknown): boolean =>
  typeof input !== 'object' || (input !== null && Object.keys(input).length > 0);

function Input({ input }: { input: unknown }) {
  return (
    <details>
      <summary className="text-sm font-semibold">Input</summary>
      <ScrollBox label="Input of the call" className="mt-2 max-h-80 rounded-md border bg-ground px-3 py-2">
        <pre className="font-mono text-xs">{JSON.stringify(input, null, 2)}</pre>
      </ScrollBox>
    </details>
  );
}
