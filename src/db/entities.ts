/** Every entity of the product: each room adds its own here, once. */
import { Investigation } from '../features/investigations/entities.ts';
import { ApiKey, Membership, Team, User } from '../features/teams/entities.ts';
import { Conversation, ModelTurn, ToolCall, UserMessage } from '../features/transcripts/entities.ts';

export const entities = [
  Team,
  User,
  Membership,
  ApiKey,
  Conversation,
  ModelTurn,
  ToolCall,
  UserMessage,
  Investigation,
] as const;
