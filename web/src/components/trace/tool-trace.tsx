import { useMemo } from 'react';
import { useStoredText } from '../text-viewer/stored-text.ts';
import { Loading } from '../ui/states.tsx';
import { traceIn } from './trace.ts';
import { Waterfall } from './waterfall.tsx';

/** Draws the trace that a tool call returned; nothing if it returned something else, which is shown as text anyway. */
export function ToolTrace({ toolId }: { toolId: string }) {
  const [{ text, isWhole, error }] = useStoredText(toolId);
  const trace = useMemo(() => (isWhole ? traceIn(text) : undefined), [text, isWhole]);
  if (trace !== undefined) return <Waterfall trace={trace} />;
  return isWhole || error !== undefined || text !== '' ? null : <Loading lines={6} />;
}
