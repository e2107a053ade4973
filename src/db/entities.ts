/** Every entity of the product: each room adds its own here, once. */
import { Chat, ChatTurn } from '../features/chats/entities.ts';
import { CitationExtraction } from '../features/citations/entities.ts';
import { Effect } from '../features/effects/entities.ts';
import { Investigation } from '../features/investigations/entities.ts';
import { Satellite, SatelliteRequest, SatelliteToken } from '../features/satellites/entities.ts';
import {
  Finding,
  MonitoringAgent,
  MonitoringNotification,
  MonitoringPlanVersion,
  MonitoringSession,
} from '../features/monitoring-agents/entities.ts';
import { ApiKey, Membership, SignInLink, Team, User } from '../features/identity/entities.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from '../features/transcripts/entities.ts';
import { WorkspaceDraft, WorkspaceDraftChange } from '../features/workspace/entities.ts';

export const entities = [
  Team,
  User,
  Membership,
  ApiKey,
  SignInLink,
  Conversation,
  ModelTurn,
  ToolCall,
  Message,
  AuxiliaryCall,
  Investigation,
  Chat,
  ChatTurn,
  CitationExtraction,
  Satellite,
  SatelliteRequest,
  SatelliteToken,
  MonitoringAgent,
  MonitoringPlanVersion,
  MonitoringSession,
  Finding,
  MonitoringNotification,
  WorkspaceDraft,
  WorkspaceDraftChange,
  Effect,
] as const;
