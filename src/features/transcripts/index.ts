export { Conversation, ModelTurn, ToolCall, UserMessage } from './entities.ts';
export { contentDigest, evidenceReader, loadEvidence } from './service.ts';
export { transcriptEndpoints } from './routes.ts';
