import { Suspense, type ReactNode } from 'react';
import { StatusBadge } from '../ui/badge.tsx';
import { ScrollBox } from '../ui/scroll-box.tsx';
import { Loading } from '../ui/states.tsx';
import { duration, wholeTime } from '../ui/time.tsx';
import { Excerpts } from './excerpts.tsx';
import type { Evidence, EvidenceCall } from './evidence.ts';
import { ToolResult, ToolSeries, ToolTrace, TRACE_TOOL } from './tool-views.ts';
import { queriedSource } from './queried-source.ts';
import { RecordedMark } from './recorded-mark.tsx';

/** The call, the cited excerpts, its chart and its full result. */
export function EvidenceBody({ evidence: { call, missing, excerpts } }: { evidence: Evidence }) {
  if (call === undefined) {
    return (
      <div className="flex flex-col gap-4">
        <p className="text-warn">{missing}</p>
        {excerpts.length > 0 && <Excerpts excerpts={excerpts} />}
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-5">
      <CallFacts call={call} />
      {excerpts.length > 0 && <Excerpts excerpts={excerpts} />}
      {call.has_series === true && (
        <Suspense fallback={<Loading lines={6} />}>
          <ToolSeries toolId={call.id} />
        </Suspense>
      )}
      {call.name === TRACE_TOOL && call.status !== 'pending' && call.is_error !== true && (
        <Suspense fallback={<Loading lines={6} />}>
          <ToolTrace toolId={call.id} />
        </Suspense>
      )}
      <section>
        <h3 className="mb-2 text-sm font-semibold">Result</h3>
        {call.status === 'pending' ? (
          <p className="text-ink-soft">The call is still running.</p>
        ) : (
          <Suspense fallback={<Loading lines={8} />}>
            <ToolResult toolId={call.id} excerpts={excerpts} />
          </Suspense>
        )}
      </section>
      {hasInput(call.input) && <Input input={call.input} />}
    </div>
  );
}

function CallFacts({ call }: { call: EvidenceCall }) {
  const { name, evidence, started_at: startedAt, duration_ms: tookMs, status = 'completed', is_error: isError } = call;
  const source = queriedSource(call);
  return (
    <dl className="flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
      {name !== undefined && (
        <Fact name="Tool">
          <span className="font-mono text-xs">{name}</span>
        </Fact>
      )}
      {source !== undefined && (
        <Fact name="Source">
          <bdi className="font-mono text-xs wrap-anywhere">{source.id}</bdi> {source.recorded && <RecordedMark />}
        </Fact>
      )}
      {evidence !== undefined && <Fact name="Evidence">{evidence}</Fact>}
      {typeof startedAt === 'string' && <Fact name="Called">{wholeTime(new Date(startedAt))}</Fact>}
      {typeof tookMs === 'number' && <Fact name="Duration">{duration(tookMs)}</Fact>}
      {(isError === true || status !== 'completed') && (
        <Fact name="Status">
          <StatusBadge status={isError === true && status === 'completed' ? 'failed' : status} />
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline gap-1">
    <dt className="text-ink-soft">{name}</dt>
    <dd>{children}</dd>
  </div>
);

const hasInput = (input: unknown): boolean =>
  typeof input === 'object' ? input !== null && Object.keys(input).length > 0 : input !== undefined;

const Input = ({ input }: { input: unknown }) => (
  <details>
    <summary className="w-fit text-sm font-semibold">Input</summary>
    <ScrollBox
      label="Tool input"
      className="mt-2 max-h-80 rounded-md border bg-ground px-3 py-2 font-mono text-xs whitespace-pre"
    >
      {JSON.stringify(input, null, 2)}
    </ScrollBox>
  </details>
);
