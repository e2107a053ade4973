/** The offline model: a server of the Anthropic Messages API that follows written playbooks. */
export { decide } from './decide.ts';
export type { RunningServer } from './http.ts';
export { OFFLINE_MODEL_NAME, startOfflineModel } from './server.ts';
