/** The evidence open next to a chat, and its neighbours. */
import { neighbour, type Evidence } from '../../components/evidence/evidence.ts';
import type { Shown } from './conversation.ts';
import { citationsOf, isTool, toolName } from './parts.ts';

/** A tool call, and the answer whose excerpts are marked. */
export interface OpenEvidence {
  call: string;
  answer?: string;
}

/**
 * What is known about the call. One from an earlier turn that is not loaded is shown by its stored result alone.
 * @param shown the loaded part of the conversation
 */
export function evidenceIn(shown: readonly Shown[], { call: id, answer }: OpenEvidence): Evidence {
  const message = shown.find((candidate) => candidate.id === answer);
  const part = shown.flatMap(({ parts }) => parts.filter(isTool)).find(({ toolCallId }) => toolCallId === id);
  const known = shown.flatMap(({ turn }) => turn?.tool_calls ?? []).find((candidate) => candidate.id === id);
  const cited = message === undefined ? [] : citationsOf(message.parts, message.turn);
  const excerpts = cited.filter(({ toolId }) => toolId === id).flatMap((citation) => citation.excerpts);
  return {
    title: known?.summary ?? part?.title ?? 'Tool result',
    description: excerpts.length === 0 ? 'Raw tool result.' : 'Raw tool result with the cited excerpts marked.',
    call: { id, ...(part && { name: toolName(part), input: part.input }), ...known },
    // They were copied from the stored result, word for word.
    excerpts: [...new Set(excerpts)].map((text) => ({ text, verified: true, offset: null })),
  };
}

/** The previous or next call: among those the answer cites or, if it cites none, among its calls. */
export function besides(shown: readonly Shown[], { call, answer }: OpenEvidence, by: 1 | -1): OpenEvidence | undefined {
  const message = shown.find((candidate) => candidate.id === answer);
  if (message === undefined) return undefined;
  const cited = citationsOf(message.parts, message.turn)
    .toSorted((a, b) => a.n - b.n)
    .map(({ toolId }) => toolId);
  const called = message.parts
    .filter(isTool)
    .filter(({ state }) => state === 'output-available' || state === 'output-error')
    .map(({ toolCallId }) => toolCallId);
  const next = neighbour(cited.includes(call) ? cited : called, call, by);
  return next === undefined ? undefined : { call: next, answer: message.id };
}
