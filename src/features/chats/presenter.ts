import type { z } from 'zod';
import { hasSeries } from '../charts/index.ts';
import { messageParts } from './stream/message-text.ts';
import { spokenParts, shownStatus } from '../runs/index.ts';
import type { Message, ModelTurn, ToolCall } from '../transcripts/index.ts';
import { chatTurnWorkflowId } from './contract.ts';
import type { ChatRows, ChatPage } from './queries.ts';
import type { ChatTurn } from './entities.ts';
import type { ChatDetailResponse, ChatListResponse, ChatResponse } from './schemas.ts';
import { usageOf } from './turns/model-turns.ts';

type Detail = z.input<typeof ChatDetailResponse>;
type UiMessage = Detail['messages'][number];
type TurnDetail = NonNullable<UiMessage['turn']>;
type Summary = z.input<typeof ChatListResponse>['chats'][number];

const resultUrl = (toolCallId: string): string => `/api/tool-results/${toolCallId}`;
export const chartUrl = (toolCallId: string): string => `/api/charts/${toolCallId}`;
const streamUrl = (chatId: string): string => `/api/chat/${chatId}/stream`;

export function presentAnswer(turn: ChatTurn, modelTurns: ModelTurn[]): z.input<typeof ChatResponse> {
  return { chat_id: turn.chatId, response: turn.text ?? '', usage: usageOf(modelTurns) };
}

export function presentSummary({ chat, running }: ChatPage['chats'][number]): Summary {
  return {
    id: chat.id,
    title: chat.title,
    created_at: chat.createdAt.toISOString(),
    updated_at: chat.lastTurnAt.toISOString(),
    created_by_user_id: chat.createdByUserId,
    investigation_id: chat.investigationId,
    monitoring: chat.isMonitoring,
    running,
  };
}

export function presentChat(rows: ChatRows): Detail {
  const { chat, turns, running, progress } = rows;
  return {
    ...presentSummary({ chat, running: running !== undefined }),
    side_effects_allowed: chat.sideEffectsAllowed,
    messages: turns.flatMap((turn) => [...askedIn(turn, rows.messages), answerOf(turn, rows)]),
    has_earlier: rows.hasEarlier,
    run: running
      ? {
          turn_id: running.id,
          stream_url: streamUrl(chat.id),
          phase: running.status === 'awaiting_approval' ? running.status : (progress?.phase ?? null),
          step: progress?.step ?? null,
          tool_calls: progress?.toolCalls ?? null,
          cost: progress?.costUsd ?? null,
        }
      : null,
  };
}

function askedIn(turn: ChatTurn, messages: Message[]): UiMessage[] {
  return messages
    .filter(({ deliveredStep }) => deliveredStep === turn.firstStep)
    .map(({ id, role, text, createdAt }) => ({
      id,
      role,
      parts: [{ type: 'text', text, state: 'done' }],
      created_at: createdAt.toISOString(),
      turn: null,
    }));
}

function answerOf(turn: ChatTurn, rows: ChatRows): UiMessage {
  const belongs = ({ step }: { step: number }): boolean =>
    step >= turn.firstStep && step <= (turn.lastStep ?? Number.MAX_SAFE_INTEGER);
  const modelTurns = rows.modelTurns.filter(belongs);
  const toolCalls = rows.toolCalls.filter(belongs);
  const parts = partsOf(modelTurns, toolCalls);
  return {
    id: turn.id,
    role: 'assistant',
    parts: [...parts, ...resultParts(turn)],
    created_at: turn.createdAt.toISOString(),
    turn: presentTurn(turn, modelTurns, toolCalls, parts),
  };
}

/** In streaming order: within each step text first, then calls. */
function partsOf(modelTurns: ModelTurn[], toolCalls: ToolCall[]): UiMessage['parts'] {
  const bySteps = modelTurns.map(({ step, content }) => ({ step, spoken: spokenParts(content) }));
  const said = messageParts(bySteps.flatMap(({ spoken }) => spoken));
  let from = 0;
  return bySteps.flatMap(({ step, spoken }) => {
    const words = said.slice(from, (from += spoken.length));
    return [
      ...words.map(({ kind, text }) => ({ type: kind, text, state: 'done' as const })),
      ...toolCalls.filter((call) => call.step === step).map(toolPart),
    ];
  });
}

function toolPart(call: ToolCall): UiMessage['parts'][number] {
  const { id, name, summary, input, status, isError, digest, evidence, bytes } = call;
  const base = { type: `tool-${name}` as const, toolCallId: id, title: summary, input };
  if (status === 'pending') return { ...base, state: 'input-available' };
  if (isError || status === 'cancelled') return { ...base, state: 'output-error', errorText: digest ?? status };
  return { ...base, state: 'output-available', output: { evidence, digest, bytes, resultUrl: resultUrl(id) } };
}

function resultParts({ outcome }: ChatTurn): UiMessage['parts'] {
  const charts = (outcome?.charts ?? []).map((id) => ({
    type: 'data-chart' as const,
    id: `chart-${id}`,
    data: { toolCallId: id, resultUrl: resultUrl(id), chartUrl: chartUrl(id) },
  }));
  return outcome?.changes
    ? [...charts, { type: 'data-changes' as const, id: 'changes', data: outcome.changes }]
    : charts;
}

function presentTurn(
  turn: ChatTurn,
  modelTurns: ModelTurn[],
  toolCalls: ToolCall[],
  parts: UiMessage['parts'],
): TurnDetail {
  const spoken = parts.flatMap((part) => ('text' in part && part.type === 'text' ? [part.text] : []));
  return {
    id: turn.id,
    number: turn.number,
    purpose: turn.purpose,
    status: shownStatus(turn.status),
    limit_reached: turn.limitReached,
    explanation: turn.explanation,
    text: turn.text ?? spoken.join(''),
    citations: turn.citations.map(({ n, toolCallId, tool, sha256, excerpts }) => ({
      n,
      tool_call_id: toolCallId ?? null,
      tool: tool ?? null,
      sha256: sha256 ?? null,
      excerpts,
      result_url: toolCallId === undefined ? null : resultUrl(toolCallId),
    })),
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      evidence: call.evidence,
      name: call.name,
      summary: call.summary,
      status: call.status,
      is_error: call.isError,
      digest: call.digest,
      bytes: call.bytes,
      sha256: call.sha256,
      has_series: hasSeries(call),
      result_url: resultUrl(call.id),
    })),
    changes: turn.outcome?.changes ?? null,
    usage: usageOf(modelTurns),
    started_at: turn.createdAt.toISOString(),
    finished_at: turn.finishedAt?.toISOString() ?? null,
    workflow_id: chatTurnWorkflowId(turn.id),
  };
}
