import { WifiOff } from 'lucide-react';
import type { StreamState } from '../../../components/live/follow-events.ts';
import { Panel } from '../../../components/ui/panel.tsx';
import { Loading } from '../../../components/ui/states.tsx';
import type { StepView } from '../live/run-view.ts';
import { StepList } from './steps.tsx';

/** The run while it goes on. */
export function Progress(props: { phase: string; connection: StreamState; steps: readonly StepView[] }) {
  const { phase, connection, steps } = props;
  return (
    <Panel
      title={
        <span className="flex items-center gap-2.5">
          <span aria-hidden className="size-2 shrink-0 animate-pulse rounded-full bg-accent" />
          {phase}
        </span>
      }
      actions={
        connection === 'reconnecting' && (
          <span role="status" className="flex items-center gap-1.5 text-sm text-ink-soft">
            <WifiOff aria-hidden size={16} /> Reconnecting …
          </span>
        )
      }
    >
      {steps.length === 0 ? <Loading lines={3} /> : <StepList steps={steps} isLive />}
    </Panel>
  );
}
