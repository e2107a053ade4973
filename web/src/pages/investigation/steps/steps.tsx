import { Panel } from '../../../components/ui/panel.tsx';
import type { StepView } from '../live/run-view.ts';
import { count } from '../numbers.ts';
import { StepItem } from './step-item.tsx';

/** What the model did, step by step. @param isFolded the steps are shown by their heads */
export function Steps({ steps, isFolded }: { steps: readonly StepView[]; isFolded: boolean }) {
  if (steps.length === 0) return null;
  return (
    <Panel
      title="How it was found"
      id="steps"
      actions={<span className="text-sm text-ink-soft">{count(steps.length, 'step')}</span>}
    >
      <StepList steps={steps} isFolded={isFolded} />
    </Panel>
  );
}

export function StepList(props: { steps: readonly StepView[]; isLive?: boolean; isFolded?: boolean }) {
  const { steps, isLive = false, isFolded = false } = props;
  return (
    <ol className="flex flex-col">
      {steps.map((step, index) => (
        <li key={step.step} className="border-b py-3 first:pt-0 last:border-b-0 last:pb-0">
          <StepItem step={step} isFolded={isFolded} isLast={isLive && index === steps.length - 1} />
        </li>
      ))}
    </ol>
  );
}
