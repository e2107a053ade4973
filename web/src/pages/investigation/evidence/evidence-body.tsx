import { lazy, Suspense } from 'react';
import { StatusBadge } from '../../../components/ui/badge.tsx';
import { Loading } from '../../../components/ui/states.tsx';
import { duration } from '../../../components/ui/time.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import { Excerpts } from './excerpts.tsx';
import type { ToolCall } from '../queries.ts';
import type { Shown } from './citation-order.ts';

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
          <Suspense fallback={<Loading lines={6} />}>
            <ToolSeries toolId={call.id} />
          </Suspense>
        </section>
      )}
      <section>
        <h3 className="mb-2 text-sm font-semibold">Result</h3>
        {call.status === 'pending' ? (
          <p className="text-ink-soft">The call has not ended yet.</p>
        ) : (
          <div className="min-h-96">
            <Suspense fallback={<Loading lines={8} />}>
              <ToolResult toolId={call.id} excerpts={excerpts.map(({ text, offset }) => ({ text, offset }))} />
            </Suspense>
          </div>
        )}
      </section>
      {hasInput(call.input) && <Input input={call.input} />}
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
      {(call.is_error || call.status !== 'completed') && (
        <div>
          <dt className="sr-only">Status </dt>
          <dd>
            <StatusBadge status={call.is_error && call.status === 'completed' ? 'failed' : call.status} />
          </dd>
        </div>
      )}
    </dl>
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
