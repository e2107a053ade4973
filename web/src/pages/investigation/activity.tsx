import { useMemo } from 'react';
import { RunFacts } from './facts.tsx';
import { phaseOf, stepViews } from './live/run-view.ts';
import { useLiveRun } from './live/use-live-run.ts';
import { Messages } from './messages/messages.tsx';
import type { Investigation } from './queries.ts';
import { Plan } from './steps/plan.tsx';
import { Steps } from './steps/steps.tsx';

/**
 * What the run does or did, step by step, and what it cost.
 * @param isWatching steps that were read while they came stay expanded
 */
export function Activity({ investigation, isWatching }: { investigation: Investigation; isWatching: boolean }) {
  const { id, status, steps } = investigation;
  const isRunning = status === 'processing';
  const { run, state } = useLiveRun(id, isRunning);
  const views = useMemo(() => stepViews(steps, run), [steps, run]);
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_19rem] lg:gap-x-6">
      <div className="min-w-0">
        <Steps
          steps={views}
          phase={isRunning ? phaseOf(investigation, views) : undefined}
          connection={state}
          isFolded={!isRunning && !isWatching}
        />
      </div>
      <aside aria-label="About this run" className="flex min-w-0 flex-col gap-4">
        <RunFacts investigation={investigation} />
        <Plan items={(isRunning ? run.plan : null) ?? investigation.plan} />
        <Messages investigation={investigation} />
      </aside>
    </div>
  );
}
