/** The language model, as the rest of the code sees it. */
export { createModelClient, type ModelClientOptions } from './client.ts';
export { DEFAULT_MODEL, OFFLINE_MODEL } from './models.ts';
export { costUsd } from './pricing.ts';
export * from './port.ts';
