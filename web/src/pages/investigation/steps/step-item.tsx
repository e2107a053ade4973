import { ChevronRight } from 'lucide-react';
import { Markdown } from '../../../components/markdown/markdown.tsx';
import { duration } from '../../../components/ui/time.tsx';
import type { StepView } from '../live/run-view.ts';
import { count, dollars } from '../../../components/ui/numbers.ts';
import { ScrollBox } from '../../../components/ui/scroll-box.tsx';
import { CallRow } from './call-row.tsx';

interface StepItemProps {
  step: StepView;
  isFolded: boolean;
  /** The step in progress. */
  isLast: boolean;
}

/** One step: what the model said and thought, and the tools it called. */
export function StepItem({ step, isFolded, isLast }: StepItemProps) {
  if (!isFolded) {
    return (
      <>
        <h3 className="flex flex-wrap gap-x-3 text-sm font-medium text-ink-soft">
          Step {step.step} <Figures step={step} />
        </h3>
        <StepBody step={step} isLast={isLast} />
      </>
    );
  }
  return (
    <details className="group">
      <summary className="flex list-none items-start gap-2 text-sm [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden size={16} className="mt-0.5 shrink-0 text-ink-soft group-open:rotate-90" />
        <span className="flex min-w-0 flex-1 flex-wrap gap-x-3 sm:flex-nowrap">
          <span className="font-medium whitespace-nowrap">Step {step.step}</span>
          <span className="line-clamp-2 min-w-0 flex-1 basis-full break-words text-ink-soft group-open:invisible max-sm:order-last sm:basis-0">
            {beginning(step)}
          </span>
          <span className="flex shrink-0 gap-x-3 text-ink-soft">
            <Figures step={step} />
          </span>
        </span>
      </summary>
      <div className="pl-6">
        <StepBody step={step} isLast={isLast} />
      </div>
    </details>
  );
}

function StepBody({ step, isLast }: { step: StepView; isLast: boolean }) {
  const { note, text, reasoning, calls, requested, isSpeaking } = step;
  return (
    <div className="mt-1.5 flex flex-col gap-2">
      {note !== null && <p className="text-sm text-ink-soft">Note to the model: {note}</p>}
      {reasoning !== '' && <Reasoning text={reasoning} step={step.step} isGoingOn={isSpeaking && text === ''} />}
      {text !== '' && <Markdown text={text} />}
      {calls.length > 0 && (
        <ul className="flex flex-col gap-1">
          {calls.map((call) => (
            <li key={call.id}>
              <CallRow call={call} />
            </li>
          ))}
        </ul>
      )}
      {isSpeaking && (requested.length > 0 || (text === '' && reasoning === '') || !isLast) && (
        <p className="text-sm text-ink-soft">{waitingFor(requested, isLast)}</p>
      )}
    </div>
  );
}

function Reasoning({ text, step, isGoingOn }: { text: string; step: number; isGoingOn: boolean }) {
  return (
    <details className="text-sm text-ink-soft">
      <summary className="w-fit py-0.5">{isGoingOn ? 'Reasoning…' : 'Reasoning'}</summary>
      <ScrollBox
        label={`Reasoning of step ${step}`}
        className="mt-1 max-h-96 border-l-2 pl-3 break-words whitespace-pre-wrap"
      >
        {text}
      </ScrollBox>
    </details>
  );
}

function Figures({ step: { calls, durationMs, costUsd } }: { step: StepView }) {
  return (
    <>
      {calls.length > 0 && <span className="font-normal">{count(calls.length, 'call')}</span>}
      {durationMs !== null && <span className="font-normal tabular-nums">{duration(durationMs)}</span>}
      {costUsd !== null && costUsd > 0 && <span className="font-normal tabular-nums">{dollars(costUsd)}</span>}
    </>
  );
}

const beginning = ({ text, calls }: StepView): string => text || calls.map(({ summary }) => summary).join(', ');

const waitingFor = (requested: readonly string[], isLast: boolean): string =>
  requested.length > 0 ? `Requesting ${requested.join(', ')}…` : isLast ? 'Thinking…' : 'Cut off';
