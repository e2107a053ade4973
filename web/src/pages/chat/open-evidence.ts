import type { Evidence } from '../../components/evidence/evidence-panel.tsx';
import type { Shown } from './conversation.ts';
import { citationsOf, isTool } from './parts.ts';

/** What is open beside a chat: a tool call, and the answer whose excerpts of it are marked. */
export interface OpenEvidence {
  call: string;
  answer?: string;
}

/** @returns undefined where the chat has no such call */
export function evidenceIn(shown: readonly Shown[], { call, answer }: OpenEvidence): Evidence | undefined {
  const message = shown.find(({ id }) => id === answer);
  const part = shown.flatMap(({ parts }) => parts.filter(isTool)).find(({ toolCallId }) => toolCallId === call);
  const known = shown.flatMap(({ turn }) => turn?.tool_calls ?? []).find(({ id }) => id === call);
  const title = known?.summary ?? part?.title;
  const citation = message && citationsOf(message.parts, message.turn).find(({ toolId }) => toolId === call);
  if (title === undefined && citation === undefined) return undefined;
  return {
    toolId: call,
    title: title ?? 'Tool result',
    excerpts: (citation?.excerpts ?? []).map((text) => ({ text, offset: null })),
    hasSeries: known?.has_series === true,
  };
}
