import { WifiOff } from 'lucide-react';
import type { StreamState } from '../../../components/live/follow-events.ts';
import { Panel } from '../../../components/ui/panel.tsx';
import { Loading } from '../../../components/ui/states.tsx';
import type { StepView } from '../live/run-view.ts';
import { count } from '../../../components/ui/numbers.ts';
import { StepItem } from './step-item.tsx';

export interface StepsProps {
  steps: readonly StepView[];
  /** What is going on; undefined once the run has ended. */
  phase: string | undefined;
  connection: StreamState;
  /** Show only the start of each step. */
  isFolded: boolean;
}

/** What the model did, step by step, live and afterwards. */
export function Steps({ steps, phase, connection, isFolded }: StepsProps) {
  const isRunning = phase !== undefined;
  if (steps.length === 0 && !isRunning) return null;
  return (
    <Panel
      id="steps"
      title={
        isRunning ? (
          <span className="flex items-center gap-2.5">
            <span aria-hidden className="size-2 shrink-0 animate-pulse rounded-full bg-accent" />
            {phase}
          </span>
        ) : (
          'How it was found'
        )
      }
      actions={
        isRunning && connection === 'reconnecting' ? (
          <span role="status" className="flex items-center gap-1.5 text-sm text-ink-soft">
            <WifiOff aria-hidden size={16} /> Reconnecting…
          </span>
        ) : (
          <span className="text-sm text-ink-soft">{count(steps.length, 'step')}</span>
        )
      }
    >
      {steps.length === 0 && <Loading lines={3} />}
      <ol className="flex flex-col">
        {steps.map((step, index) => (
          <li key={step.step} className="border-b py-3 first:pt-0 last:border-b-0 last:pb-0">
            <StepItem step={step} isFolded={isFolded} isLast={isRunning && index === steps.length - 1} />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
