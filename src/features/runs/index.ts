export * from './contract.ts';
export type { Attempt, RunDeps } from './deps.ts';
export { conversationStream, FINAL_EVENT_TYPES, messageEvent, stateEvent } from './events.ts';
export { createRunLauncher, type RunLauncher } from './launch.ts';
export { takeModelTurn } from './model-turn.ts';
export { untilReachable } from './persistence.ts';
export type { RunProfile, RunProfiles } from './profiles.ts';
export { createProgressReader, type ProgressReader } from './progress-reader.ts';
export { makeToolCall } from './tool-call.ts';
