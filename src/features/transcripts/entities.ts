import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { teamColumns, teamFilter } from '../../db/base.ts';
import type { PlanItem, SourceAnswer } from '../tools/tool.ts';
import type { ContentBlock } from '../../platform/anthropic/port.ts';

/**
 * What a run said, asked and learned. A conversation shares its id with what it belongs to (an investigation, a chat).
 */
export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  filters: {
    ...teamFilter,
    /** One that is being deleted is gone for everybody: nothing is added to it. */
    present: { name: 'present', cond: { deletedAt: null }, default: true },
  },
  properties: {
    ...teamColumns,
    /** The kind of run: investigation, chat, … */
    kind: p.text(),
    /** The first user message, as the model reads it; null for a dialogue, which consists of messages only. */
    opening: p.text().strictNullable(),
    plan: p.json<PlanItem[]>().default('[]'),
    /** The typed result submitted by a finishing tool; null until then. */
    result: p.json<{ toolCallId: string; value: Record<string, unknown> }>().strictNullable(),
    /** Replaces everything up to and including `summaryThroughStep` in what the model is sent; the rows stay. */
    summary: p.text().strictNullable(),
    summaryThroughStep: p.integer().default(0),
    /** Steps up to this one belong to runs that have ended; nothing is stored for them any more. */
    closedThroughStep: p.integer().default(0),
    /** Tokens of the last request and its answer: the length of the transcript. */
    contextTokens: p.integer().default(0),
    deletedAt: p.datetime().nullable(),
  },
});
export type Conversation = InferEntity<typeof Conversation>;

/** One completed answer of a model. */
export const ModelTurn = defineEntity({
  name: 'ModelTurn',
  tableName: 'model_turns',
  filters: teamFilter,
  uniques: [{ properties: ['conversationId', 'step'] }],
  properties: {
    ...teamColumns,
    conversationId: p.uuid(),
    step: p.integer(),
    /** A note from the loop before this turn (a nudge, a limit that was reached). */
    note: p.text().strictNullable(),
    content: p.json<ContentBlock[]>(),
    stopReason: p.text(),
    provider: p.text(),
    model: p.text(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    cacheCreationInputTokens: p.integer(),
    cacheReadInputTokens: p.integer(),
    costUsd: p.double().$type<number>(),
    /** The activity attempt that produced it, from 1. */
    attempt: p.integer(),
    startedAt: p.datetime(),
    finishedAt: p.datetime(),
  },
});
export type ModelTurn = InferEntity<typeof ModelTurn>;

/** One call of a tool and its whole result: the evidence that citations point to. */
export const ToolCall = defineEntity({
  name: 'ToolCall',
  tableName: 'tool_calls',
  filters: teamFilter,
  uniques: [{ properties: ['conversationId', 'evidence'] }],
  indexes: [{ properties: ['teamId', 'source'] }],
  properties: {
    ...teamColumns,
    conversationId: p.uuid(),
    step: p.integer(),
    /** 1, 2, 3 … within the conversation. */
    evidence: p.integer(),
    /** The model's own id of the call, which its result must carry. */
    toolUseId: p.text(),
    name: p.text(),
    input: p.json<unknown>(),
    summary: p.text(),
    status: p.enum(['pending', 'completed', 'cancelled'] as const),
    isError: p.boolean().default(false),
    /** What the source that was queried made of it; null for other tools, and until the call is completed. */
    answer: p
      .enum(['data', 'nothing', 'refused', 'unavailable'] as const)
      .$type<SourceAnswer>()
      .nullable(),
    /** The source that was queried; null if none was, and until the call is completed. */
    source: p.text().nullable(),
    digest: p.text().strictNullable(),
    /** What the model is shown of the result, framed and bounded. Lazy, like the content. */
    view: p.text().strictNullable().lazy(),
    /** The whole result, lazy. */
    content: p.text().strictNullable().lazy(),
    bytes: p.integer().strictNullable(),
    sha256: p.text().strictNullable(),
    startedAt: p.datetime().strictNullable(),
    finishedAt: p.datetime().strictNullable(),
  },
});
export type ToolCall = InferEntity<typeof ToolCall>;

/** Something that no model of ours wrote: a person's message, or an answer that a caller supplied with it. */
export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  filters: teamFilter,
  indexes: [{ properties: ['conversationId', 'createdAt'] }],
  properties: {
    ...teamColumns,
    conversationId: p.uuid(),
    role: p.enum(['user', 'assistant'] as const).default('user'),
    text: p.text(),
    /** Context given to the model before the text (time, subject), not part of what was said. */
    context: p.text().strictNullable(),
    /** Orders messages of the same moment. */
    position: p.integer().default(0),
    /** The step whose turn first read it; null while it waits. */
    deliveredStep: p.integer().strictNullable(),
  },
});
export type Message = InferEntity<typeof Message>;

/** A model call outside the turns of a conversation: a title, a summary. Made once per purpose and key. */
export const AuxiliaryCall = defineEntity({
  name: 'AuxiliaryCall',
  tableName: 'auxiliary_calls',
  filters: teamFilter,
  uniques: [{ properties: ['conversationId', 'purpose', 'key'] }],
  properties: {
    ...teamColumns,
    conversationId: p.uuid(),
    /** Its purpose: `title`, `summary` … */
    purpose: p.text(),
    key: p.text(),
    text: p.text(),
    stopReason: p.text(),
    provider: p.text(),
    model: p.text(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    cacheCreationInputTokens: p.integer(),
    cacheReadInputTokens: p.integer(),
    costUsd: p.double().$type<number>(),
  },
});
export type AuxiliaryCall = InferEntity<typeof AuxiliaryCall>;
