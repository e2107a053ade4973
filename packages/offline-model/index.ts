/** The offline model: a server of the Anthropic Messages API that follows written playbooks. */
export { decide } from './decide.ts';
export { listen, readJson, sendError, sendJson, startEventStream, type RunningServer } from './http.ts';
export * from './protocol.ts';
export { OFFLINE_MODEL_NAME, startOfflineModel } from './server.ts';
export { parseRequest } from './validate.ts';
