export { readableToolCall } from './access.ts';
export { AuxiliaryCall, Conversation, Message, ModelTurn, ToolCall } from './entities.ts';
export { buildMessages, type TranscriptRows } from './messages.ts';
export { transcriptEndpoints } from './routes.ts';
export {
  closeSteps,
  contentDigest,
  deliverMessages,
  evidenceReader,
  loadEvidence,
  loadTranscript,
  SAID_ORDER,
} from './service.ts';
