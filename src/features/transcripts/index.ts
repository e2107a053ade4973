export { Conversation, ModelTurn, ToolCall, UserMessage } from './entities.ts';
export { buildMessages } from './messages.ts';
export { transcriptEndpoints } from './routes.ts';
export { contentDigest, deliverMessages, evidenceReader, loadEvidence, loadTranscript } from './service.ts';
