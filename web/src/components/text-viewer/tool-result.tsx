/** The stored result of a tool call, with the excerpts that a citation points to. */
import { useMemo } from 'react';
import { Empty, Failed, Loading } from '../ui/states.tsx';
import type { Excerpt } from './excerpts.ts';
import { useStoredText } from './stored-text.ts';
import { Viewer } from './viewer.tsx';

export interface ToolResultProps {
  toolId: string;
  /** Verbatim excerpts of the stored text; the first is scrolled into view. */
  excerpts?: readonly Excerpt[];
}

const NONE: readonly Excerpt[] = [];

export function ToolResult({ toolId, excerpts = NONE }: ToolResultProps) {
  const [stored, store] = useStoredText(toolId);
  const key = JSON.stringify(excerpts);
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the key says when they are others
  const same = useMemo(() => excerpts, [key]);
  const { head, text, error } = stored;
  if (text === '') {
    if (error !== undefined) return <Failed error={error} onRetry={store.retry} />;
    if (head === undefined) return <Loading lines={8} />;
    if (head.status === 'pending') return <Empty title="The call is still running">Its result will appear here.</Empty>;
    if (head.status === 'cancelled') return <Empty title="The call was cancelled before it returned a result" />;
    return <Empty title="The tool returned nothing" />;
  }
  return <Viewer key={toolId + key} stored={stored} store={store} excerpts={same} />;
}
