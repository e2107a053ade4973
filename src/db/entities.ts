/** Every entity of the product: each room adds its own here, once. */
import { Conversation, ModelTurn, ToolCall, UserMessage } from '../features/transcripts/entities.ts';
import { Investigation } from '../features/investigations/entities.ts';

export const entities = [Conversation, ModelTurn, ToolCall, UserMessage, Investigation] as const;
