/** Tool calls as rows: the request, the outcome, and both in full one click away. */
import { Link } from '@tanstack/react-router';
import {
  ChartLine,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  FileText,
  ListTodo,
  Radar,
} from 'lucide-react';
import { useState } from 'react';
import { PlanList } from '../../components/plan/plan-list.tsx';
import type { PlanItem } from '../../components/plan/plan.ts';
import { Button } from '../../components/ui/button.tsx';
import { digestOf, evidenceOf, planOf, startedInvestigation, toolName, type ToolPart } from './parts.ts';
import { ScrollBox } from '../../components/ui/scroll-box.tsx';

export interface ToolActions {
  /** Opens the result next to the chat. */
  onOpen: (toolId: string) => void;
  /** Charts the result; absent while no message can be sent. */
  onChart?: ((toolId: string) => void) | undefined;
}

export interface ToolCallsProps extends ToolActions {
  calls: readonly ToolPart[];
  /** The results that can be charted. */
  drawable: ReadonlySet<string>;
  /** The turn is over: a call without a result will not get one. */
  isOver: boolean;
}

export const ToolCalls = ({ calls, ...rest }: ToolCallsProps) => (
  <ul aria-label="Tool calls" className="divide-y overflow-hidden rounded-lg border bg-surface">
    {calls.map((call) => (
      <li key={call.toolCallId}>
        {planOf(call).length > 0 ? <Plan items={planOf(call)} /> : <ToolCall call={call} {...rest} />}
      </li>
    ))}
  </ul>
);

function ToolCall({ call, drawable, isOver, onOpen, onChart }: Omit<ToolCallsProps, 'calls'> & { call: ToolPart }) {
  const [isOpen, setIsOpen] = useState(false);
  const title = call.title ?? toolName(call);
  const digest = digestOf(call);
  const investigation = startedInvestigation(call);
  return (
    <>
      <div className="flex items-center">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 px-3 py-1.5 text-left text-sm hover:bg-sunken focus-visible:-outline-offset-2"
        >
          <State call={call} isOver={isOver} />
          <span className="min-w-0 flex-1 sm:flex sm:items-baseline sm:gap-2">
            <span className="block truncate sm:max-w-[65%] sm:shrink-0">{title}</span>
            {digest !== '' && <span className="block min-w-0 truncate text-ink-soft">{digest}</span>}
          </span>
          <ChevronRight aria-hidden size={14} className={`shrink-0 text-ink-soft ${isOpen ? 'rotate-90' : ''}`} />
        </button>
        {investigation !== undefined && (
          <Button variant="quiet" size="small" className="mr-1" asChild>
            <Link to="/investigation/$investigationId" params={{ investigationId: investigation }}>
              <Radar aria-hidden size={14} /> Open investigation
            </Link>
          </Button>
        )}
      </div>
      {isOpen && (
        <div className="flex flex-col gap-2 border-t bg-sunken px-3 py-2 text-sm">
          <p className="text-ink-soft">
            <code className="font-mono break-all">{toolName(call)}</code>
            {evidenceOf(call) !== undefined && <> · evidence [{evidenceOf(call)}]</>}
          </p>
          <CallInput input={call.input} />
          {digest !== '' && <p className="break-words whitespace-pre-wrap">{digest.slice(0, 2_000)}</p>}
          {(call.state === 'output-available' || call.state === 'output-error') && (
            <div className="flex flex-wrap gap-2">
              <Button size="small" onClick={() => onOpen(call.toolCallId)}>
                <FileText aria-hidden size={14} /> Show result
              </Button>
              {drawable.has(call.toolCallId) && onChart !== undefined && (
                <Button size="small" onClick={() => onChart(call.toolCallId)}>
                  <ChartLine aria-hidden size={14} /> Draw a chart
                </Button>
              )}
            </div>
          )}
        </div>
      )}
    </>
  );
}

function State({ call: { state }, isOver }: { call: ToolPart; isOver: boolean }) {
  if (state === 'output-available')
    return <CircleCheck role="img" aria-label="Done:" size={16} className="shrink-0 text-good" />;
  if (state === 'output-error')
    return <CircleAlert role="img" aria-label="Failed:" size={16} className="shrink-0 text-bad" />;
  return (
    <CircleDashed
      role="img"
      aria-label={isOver ? 'Not finished:' : 'Running:'}
      size={16}
      className={`shrink-0 ${isOver ? 'text-ink-soft' : 'animate-spin text-accent'}`}
    />
  );
}

/** The input of a call in full. */
export const CallInput = ({ input }: { input: unknown }) => {
  const text = JSON.stringify(input, null, 2) ?? '';
  return text === '' || text === '{}' ? null : (
    <ScrollBox label="Input" className="max-h-60 rounded-md border bg-surface p-2 font-mono text-xs whitespace-pre">
      {text.slice(0, 20_000)}
    </ScrollBox>
  );
};

const Plan = ({ items }: { items: readonly PlanItem[] }) => (
  <div className="px-3 py-2 text-sm">
    <p className="mb-1 flex items-center gap-2 font-medium">
      <ListTodo aria-hidden size={16} className="text-ink-soft" /> Plan
    </p>
    <div className="ml-6">
      <PlanList items={items} />
    </div>
  </div>
);
