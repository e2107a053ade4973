/** Reads the parts of messages, streamed or stored. What a model or tool wrote is text and nothing else. */
import type { Schema } from '../../api/client.ts';
import { planItems, type PlanItem } from '../../components/plan/plan.ts';
import type { ChatMessage } from './transport.ts';

export type StoredMessage = Schema<'ChatUiMessage'>;
export type Turn = Schema<'ChatTurnDetail'>;
export type Part = ChatMessage['parts'][number] | StoredMessage['parts'][number];

export interface WordsPart {
  type: 'text' | 'reasoning';
  text: string;
  state?: string;
}
export interface ToolPart {
  type: string;
  toolCallId: string;
  state: string;
  title?: string;
  input?: unknown;
  output?: unknown;
  errorText?: string;
}
export interface DataPart {
  type: string;
  id?: string;
  data: unknown;
}

export interface Citation {
  n: number;
  toolId: string;
  excerpts: readonly string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export const isWords = (part: Part): part is Part & WordsPart => part.type === 'text' || part.type === 'reasoning';
export const isTool = (part: Part): part is Part & ToolPart => part.type.startsWith('tool-') && 'toolCallId' in part;
export const isData = (part: Part): part is Part & DataPart => part.type.startsWith('data-') && 'data' in part;

export const toolName = ({ type }: ToolPart): string => type.slice('tool-'.length);

/** The full text of a message, byte for byte as stored. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (isWords(part) && part.type === 'text' ? part.text : '')).join('');

/** What a message shows, in order: text, groups of consecutive tool calls, results. */
export type Piece =
  | { kind: 'words'; part: WordsPart; key: string }
  | { kind: 'tools'; calls: readonly ToolPart[]; key: string }
  | { kind: 'suggestion'; toolId: string; key: string }
  | { kind: 'approval'; id: string; key: string }
  | { kind: 'chart'; toolId: string; key: string }
  | { kind: 'changes'; changes: Changes; key: string };

export type Changes = Schema<'ChatChanges'>;

export function piecesOf(parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  for (const [index, part] of parts.entries()) {
    const key = `${index}`;
    const last = pieces.at(-1);
    if (isWords(part)) {
      if (part.text.trim() !== '') pieces.push({ kind: 'words', part, key });
    } else if (isTool(part)) {
      if (last?.kind === 'tools') pieces[pieces.length - 1] = { ...last, calls: [...last.calls, part] };
      else pieces.push({ kind: 'tools', calls: [part], key });
      if (isSuggestion(part)) pieces.push({ kind: 'suggestion', toolId: part.toolCallId, key: `suggestion-${key}` });
    } else if (isData(part)) {
      const piece = resultOf(part);
      if (piece !== undefined) pieces.push(piece);
    }
  }
  return pieces;
}

function resultOf({ type, id, data }: DataPart): Piece | undefined {
  if (!isRecord(data)) return undefined;
  if (type === 'data-approval' && data['status'] === 'pending' && typeof data['id'] === 'string')
    return { kind: 'approval', id: data['id'], key: `approval-${data['id']}` };
  if (type === 'data-chart' && typeof data['toolCallId'] === 'string' && isId(data['toolCallId'])) {
    return { kind: 'chart', toolId: data['toolCallId'], key: `chart-${data['toolCallId']}` };
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by our own API, the same in stream and store
  if (type === 'data-changes') return { kind: 'changes', changes: data as unknown as Changes, key: id ?? 'changes' };
  return undefined;
}

const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;
const isId = (text: string): boolean => new RegExp(`^${ID.source}$`, 'i').test(text);

/** Whether it checked a change that can be opened as a pull request. */
const isSuggestion = (call: ToolPart): boolean => toolName(call) === 'suggest_pr' && call.state === 'output-available';

/** The investigation that a call of `start_investigation` started. */
export function startedInvestigation(call: ToolPart): string | undefined {
  if (toolName(call) !== 'start_investigation' || call.state !== 'output-available') return undefined;
  return ID.exec(digestOf(call))?.[0];
}

/** A one-line summary of a result. */
export function digestOf({ output, errorText }: ToolPart): string {
  if (errorText !== undefined) return errorText;
  return isRecord(output) && typeof output['digest'] === 'string' ? output['digest'] : '';
}

export function evidenceOf({ output }: ToolPart): number | undefined {
  return isRecord(output) && typeof output['evidence'] === 'number' ? output['evidence'] : undefined;
}

/** Where bracketed numbers lead, from a stored turn or its stream. */
export function citationsOf(parts: readonly Part[], turn: Turn | null): Citation[] {
  if (turn !== null && turn.status !== 'processing') {
    return turn.citations.flatMap(({ n, tool_call_id: toolId, excerpts }) =>
      toolId === null ? [] : [{ n, toolId, excerpts }],
    );
  }
  const streamed = parts.find((part) => part.type === 'data-citations');
  if (streamed !== undefined && isData(streamed) && Array.isArray(streamed.data)) {
    return streamed.data
      .filter(isRecord)
      .flatMap(({ n, toolCallId, excerpts }) =>
        typeof n === 'number' && typeof toolCallId === 'string'
          ? [{ n, toolId: toolCallId, excerpts: Array.isArray(excerpts) ? excerpts.map(String) : [] }]
          : [],
      );
  }
  return [];
}

/** What each citation cites, in words. */
export function citationLabels(parts: readonly Part[], turn: Turn | null): ReadonlyMap<number, string> {
  return new Map(
    citationsOf(parts, turn).map(({ n, toolId }) => {
      const stored = turn?.tool_calls.find(({ id }) => id === toolId);
      const streamed = parts.filter(isTool).find(({ toolCallId }) => toolCallId === toolId);
      return [n, stored?.summary ?? streamed?.title ?? 'tool result'];
    }),
  );
}

/** What a chart shows, as its `draw_chart` call names it. */
export function chartTitle(call: ToolPart | undefined): string {
  const named = isRecord(call?.input) ? call.input['title'] : undefined;
  return typeof named === 'string' && named.trim() !== '' ? named : (call?.title ?? 'Chart');
}

/** The plan written by an `update_plan` call. */
export const planOf = (call: ToolPart): PlanItem[] =>
  toolName(call) === 'update_plan' && isRecord(call.input) ? planItems(call.input['items']) : [];
