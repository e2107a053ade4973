import type { Room } from '../../room.ts';
import { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from './entities.ts';
import { getToolResult } from './routes.ts';
export {
  readableToolCall,
  readableKinds,
  readScopeOf,
  type ReadScopes,
  purgeConversations,
  closeSteps,
  contentDigest,
  deliverMessages,
  evidenceReader,
  loadEvidence,
  loadTranscript,
  conversationsThatQueried,
  sourceOfCall,
  SAID_ORDER,
} from './service.ts';
export { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall };
export { buildMessages, type TranscriptRows } from './messages.ts';

export const transcriptsRoom = {
  name: 'transcripts',
  endpoints: [getToolResult],
  entities: [Conversation, ModelTurn, ToolCall, Message, AuxiliaryCall],
} satisfies Room;
