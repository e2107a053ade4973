/** What a turn produces besides its text. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { creatorColumns, teamColumns, teamFilter } from '../../db/base.ts';
import type { DraftOutcome } from '../workspace/index.ts';
import { Run } from '../runs/index.ts';
import type { ChatTurnPurpose } from './contract.ts';

/** A number in brackets in an answer, and what it points to. */
export interface ChatCitation {
  /** The evidence number, as in the answer. */
  n: number;
  /** Absent if the chat has no such evidence. */
  toolCallId?: string;
  tool?: string;
  /** Hexadecimal digest of the tool result. */
  sha256?: string;
  /** Verbatim excerpts of the tool result that support the claim; empty if there are none. */
  excerpts: string[];
}

/** The result of a chart or edit turn. */
export interface ChatTurnOutcome {
  /** Successful `draw_chart` calls; the chart is in their result. */
  charts?: string[];
  changes?: DraftOutcome;
}

/** A dialogue between people and Casebook; its transcript is the conversation with the same id. */
export const Chat = defineEntity({
  name: 'Chat',
  tableName: 'chats',
  filters: {
    ...teamFilter,
    /** A deleted chat disappears for everybody; its rows are deleted once nothing works on them. */
    present: { name: 'present', cond: { deletedAt: null }, default: true },
  },
  indexes: [
    { properties: ['teamId', 'lastTurnAt', 'id'] },
    { properties: ['createdByUserId', 'lastTurnAt', 'id'] },
    { properties: ['createdByCredentialId', 'lastTurnAt', 'id'] },
    {
      name: 'chats_deleted_index',
      expression: `create index "chats_deleted_index" on "chats" ("deleted_at") where "deleted_at" is not null`,
    },
    {
      name: 'chats_title_search_index',
      expression: `create index "chats_title_search_index" on "chats" using gin (to_tsvector('simple', "title"))`,
    },
  ],
  properties: {
    ...teamColumns,
    title: p.text(),
    /** Where the title comes from: the first question, a model, or a person, whose title stays. */
    titledBy: p.enum(['question', 'model', 'person'] as const),
    ...creatorColumns,
    /** The investigation that the chat is about. */
    investigationId: p.uuid().strictNullable(),
    /** It is about what the monitoring agent with the same id watches. */
    isMonitoring: p.boolean().default(false),
    /** Whether its turns may use tools with outside effects, if the caller's credential may too. */
    sideEffectsAllowed: p.boolean().default(false),
    lastTurnAt: p.datetime(),
    deletedAt: p.datetime().strictNullable(),
  },
});
export type Chat = InferEntity<typeof Chat>;

/** A person's messages, and Casebook's answer to them. */
export const ChatTurn = defineEntity({
  name: 'ChatTurn',
  tableName: 'chat_turns',
  extends: Run,
  indexes: [
    {
      name: 'chat_turns_search_index',
      expression: `create index "chat_turns_search_index" on "chat_turns" using gin (to_tsvector('simple', "search_text"))`,
    },
  ],
  uniques: [{ properties: ['chatId', 'number'] }],
  properties: {
    chatId: p.uuid(),
    /** 1, 2, 3 … within the chat. */
    number: p.integer(),
    purpose: p.enum(['answer', 'chart', 'edit', 'monitor'] as const).$type<ChatTurnPurpose>(),
    /** The question, for titles and search. */
    question: p.text(),
    /** The model and system prompt that the caller asked for. */
    model: p.text().strictNullable(),
    systemPrompt: p.text().strictNullable(),
    /** For an edit: whether it is applied or proposed. */
    mode: p.enum(['apply', 'propose'] as const).strictNullable(),
    /** Its steps within the conversation; the last is known once it has ended. */
    firstStep: p.integer(),
    lastStep: p.integer().strictNullable(),
    /** Approximate tokens in the transcript before the first step. */
    contextTokens: p.integer().default(0),
    /** The chat had no title yet. */
    wantsTitle: p.boolean().default(false),
    /** The final text, byte for byte as streamed. */
    text: p.text().strictNullable(),
    citations: p.json<ChatCitation[]>().default('[]'),
    outcome: p.json<ChatTurnOutcome>().strictNullable(),
    searchText: p.text().default(''),
  },
});
export type ChatTurn = InferEntity<typeof ChatTurn>;
